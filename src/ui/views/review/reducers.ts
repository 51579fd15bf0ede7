import { safeLines } from '../../../domain/words/safe-text.ts'
import type { DiffIndex } from '../../../domain/words/unified-diff.ts'
import type { Review } from '../../../contracts/review.ts'
import { noticed } from '../../core/reducers.ts'
import { changingView, type Transition } from '../../core/state.ts'
import { START } from '../../actions/integration.ts'
import type { Place } from './state.ts'
import { worktreeOf } from '../../core/selection.ts'
import { rowOfError } from './output-lines.ts'
import { approvalIn } from './window.ts'
import { reviewText } from '../../../text/integration.ts'

// Transitions for data of a review.

/** A new review of the same worktree begins at its top, because its files may differ. */
export const reviewArrived =
  (review: Review): Transition =>
  (state) => {
    const overlay = approvalIn(state.view.overlay)
    const next = { ...state, review: { review, more: new Map<string, DiffIndex | null>() } }
    const old = state.review?.review
    if (old === undefined || old.to === review.to || !overlay || overlay !== state.view.overlay) return next
    if (old.candidate === null && review.candidate === null)
      return changingView(() => ({ overlay: { ...overlay, at: placeIn(review, old, overlay.at) } }))(next)
    const begun = changingView(() => ({ overlay: { ...overlay, at: START, offset: 0, folded: [] } }))(next)
    const replaces = old.worktree === review.worktree && old.candidate !== null && review.candidate !== null
    return replaces ? noticed(reviewText.madeAnew(review.worktree), 'told')(begun) : begun
  }

/** A place in a newer diff: the same file, at the same line if there is one. */
const placeIn = ({ files }: Review, before: Review, at: Place): Place => {
  if (at.file < 0) return at
  const file = files.findIndex(({ path }) => path === before.files[at.file]?.path)
  return file === -1 ? START : { file, line: Math.min(at.line, (files[file]!.diff?.count ?? 0) - 1), piece: 0 }
}

/** The lines of a large file; null while they are being read, undefined if that failed. */
export const fileArrived =
  (review: Review, path: string, index: DiffIndex | null | undefined): Transition =>
  (state) => {
    if (state.review?.review !== review) return state
    const more = new Map(state.review.more)
    if (index === undefined) more.delete(path)
    else more.set(path, index)
    return { ...state, review: { review, more } }
  }

export const outputArrived =
  (worktree: string, text: string, size: number): Transition =>
  (state) => {
    const failed = (worktreeOf(state, worktree)?.integration?.verification?.exitCode ?? 0) !== 0
    const left = Math.max(0, size - Buffer.byteLength(text))
    const output = { worktree, lines: safeLines(text.trimEnd()), failed, left }
    const { overlay } = state.view
    const next = { ...state, output }
    if (!failed || overlay?.kind !== 'verification' || overlay.top !== 0) return next
    return changingView(() => ({ overlay: { ...overlay, top: rowOfError(next, output) } }))(next)
  }
