import { safeLines } from '../../domain/safe-text.ts'
import type { DiffIndex } from '../../domain/unified-diff.ts'
import type { Review } from '../../operations/kernel/review.ts'
import { noticed } from '../arrivals.ts'
import { looking, type Transition } from '../state.ts'
import { START } from './state.ts'
import { approvalIn } from './window.ts'
import { reviewText } from '../../text/review.ts'

// What of a review comes in from outside, as transitions.

/** Another review of the same worktree begins at its top: its files need not be the ones before. */
export const reviewArrived =
  (review: Review): Transition =>
  (state) => {
    const overlay = approvalIn(state.view.overlay)
    const next = { ...state, review: { review, more: new Map<string, DiffIndex | null>() } }
    const isOther = state.review !== null && state.review.review.to !== review.to
    if (!isOther || !overlay || overlay !== state.view.overlay) return next
    const begun = looking(() => ({ overlay: { ...overlay, at: START, offset: 0, folded: [] } }))(next)
    const old = state.review.review
    const replaces = old.worktree === review.worktree && old.candidate !== null && review.candidate !== null
    return replaces ? noticed(reviewText.madeAnew(review.worktree), 'told')(begun) : begun
  }

/** The lines of a large file; null while they are being read, undefined where they could not be. */
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
  (state) => ({ ...state, output: { worktree, lines: safeLines(text.trimEnd()), left: Math.max(0, size - Buffer.byteLength(text)) } })
