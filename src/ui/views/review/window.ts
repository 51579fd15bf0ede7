import { ours } from '../../../domain/words/safe-text.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { widthIn } from '../../rows/lines.ts'
import { worktreeOf } from '../../core/selection.ts'
import type { ConsoleState, Overlay } from '../../core/state.ts'
import { type Document, documentOf } from './document.ts'
import type { Shown } from './file/file-block.ts'
import { headLines } from './head/head.ts'
import type { Comment, LoadedReview } from './state.ts'
import { nameOf } from './file/file-lines.ts'
import { reviewText } from '../../../text/review.ts'

export type ApprovalOverlay = Extract<Overlay, { kind: 'approval' }>

/** The approval in front, or below a form, a question or a search. */
export const approvalIn = (overlay: Overlay | null | undefined): ApprovalOverlay | undefined =>
  !overlay ? undefined : overlay.kind === 'approval' ? overlay : approvalIn(overlay.behind)

/** The review of the worktree, if it is the one loaded last. */
export const reviewOf = ({ review }: ConsoleState, worktree: string): LoadedReview | null =>
  review?.review.worktree === worktree ? review : null

export const commentsOf = ({ comments }: ConsoleState, worktree: string): readonly Comment[] =>
  comments[worktree] ?? NONE

const NONE: readonly Comment[] = []

/** All rows of the approval view; the same object while nothing of it has changed. */
export const reviewDocument = (state: ConsoleState, overlay: ApprovalOverlay): Document | undefined => {
  const worktree = worktreeOf(state, overlay.worktree)
  if (!worktree) return undefined
  const loaded = reviewOf(state, worktree.name)
  const comments = commentsOf(state, worktree.name)
  const from = [
    worktree,
    loaded,
    comments,
    overlay.folded,
    state.board.agents,
    state.radar,
    state.view.size.columns,
    state.preferences.bindings,
  ] as const
  if (last && from.every((part, n) => part === last!.from[n])) return last.document
  const shown: Shown = {
    loaded,
    comments,
    folded: overlay.folded,
    width: widthIn(state),
    state,
    head: headLines(state, worktree, loaded, comments),
  }
  last = { from, document: documentOf(shown) }
  return last.document
}

let last: { readonly from: readonly unknown[]; readonly document: Document } | undefined

export interface Window {
  readonly title: Line['text']
  readonly lines: readonly Line[]
  readonly top: number
  readonly total: number
}

/** The visible rows, with the cursor marked. */
export const windowOf = (state: ConsoleState, overlay: ApprovalOverlay, height: number): Window | undefined => {
  const worktree = worktreeOf(state, overlay.worktree)
  const document = reviewDocument(state, overlay)
  if (!worktree || !document) return undefined
  const { cursor, top } = standing(document, overlay, height)
  return {
    title: ours(nameOf(reviewText.title(worktree.name, worktree.branchName, worktree.integration?.target ?? null))),
    lines: Array.from({ length: Math.min(height, document.total - top) }, (_, n) =>
      top + n === cursor ? { ...document.line(top + n), cursor: true } : document.line(top + n),
    ),
    top,
    total: document.total,
  }
}

/** The row of the cursor, and the row at the top: as far above it as before, if possible. */
export const standing = (
  document: Document,
  { at, offset }: Pick<ApprovalOverlay, 'at' | 'offset'>,
  height: number,
): { readonly cursor: number; readonly top: number } => {
  const cursor = document.rowOf(at)
  const above = Math.max(0, Math.min(offset, height - 1))
  return { cursor, top: Math.max(0, Math.min(cursor - above, document.total - height)) }
}
