import { ours } from '../../../domain/words/safe-text.ts'
import type { WorktreeView } from '../../../operations/views/worktrees.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { widthIn } from '../../rows/lines.ts'
import { isUnderWay } from '../../actions/integration.ts'
import { worktreeOf } from '../../core/selection.ts'
import type { ConsoleState, Overlay } from '../../core/state.ts'
import { type Document, documentOf } from './document.ts'
import type { Shown } from './file/file-block.ts'
import { headLines } from './head/head.ts'
import { viewedIn } from './viewed/viewed.ts'
import { BESIDE, type RowStyle } from './file/row-style.ts'
import type { Comment, LoadedReview, ReadingStyle } from './state.ts'
import { nameOf } from './file/file-lines.ts'
import { reviewText } from '../../../text/integration.ts'

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

/** True for a diff that is read while no integration is on its way. */
export const isOnlyRead = ({ integration }: WorktreeView, { readOnly }: ApprovalOverlay): boolean =>
  readOnly === true && !(integration && isUnderWay(integration.status))

/** All rows of the approval view; the same object while nothing of it has changed. */
export const reviewDocument = (state: ConsoleState, overlay: ApprovalOverlay): Document | undefined => {
  const worktree = worktreeOf(state, overlay.worktree)
  if (!worktree) return undefined
  const loaded = reviewOf(state, worktree.name)
  const comments = commentsOf(state, worktree.name)
  const readOnly = isOnlyRead(worktree, overlay)
  const from = [
    worktree,
    loaded,
    comments,
    overlay.folded,
    state.board.agents,
    state.radar,
    state.view.size.columns,
    state.preferences.bindings,
    readOnly,
    state.reading,
    viewedIn(state, worktree.name),
  ] as const
  if (last && from.every((part, n) => part === last!.from[n])) return last.document
  const shown: Shown = {
    loaded,
    comments,
    folded: overlay.folded,
    width: widthIn(state),
    style: styleOf(state),
    viewed: viewedIn(state, worktree.name),
    state,
    head: headLines(state, worktree, loaded, comments, readOnly),
  }
  last = { from, document: documentOf(shown) }
  return last.document
}

let last: { readonly from: readonly unknown[]; readonly document: Document } | undefined

/** How the rows are made: as the person chose, and beside each other on a wide screen. */
export const styleOf = ({ reading, view }: Pick<ConsoleState, 'reading' | 'view'>): RowStyle => {
  const isSplit = (reading.isSplit ?? true) && view.size.columns >= BESIDE
  const known = styles.find((one) => one.reading === reading && one.style.isSplit === isSplit)
  if (known) return known.style
  const style = { ...reading, isSplit }
  styles = [{ reading, style }, ...styles.slice(0, 3)]
  return style
}

let styles: readonly { readonly reading: ReadingStyle; readonly style: RowStyle }[] = []

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
    title: ours(
      nameOf(
        isOnlyRead(worktree, overlay)
          ? reviewText.diffTitle(worktree.name, worktree.branchName)
          : reviewText.title(worktree.name, worktree.branchName, worktree.integration?.target ?? null),
      ),
    ),
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
