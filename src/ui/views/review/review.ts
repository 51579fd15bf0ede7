import type { Line } from '../../../../components/Lines.tsx'
import { ours } from '../../../domain/words/safe-text.ts'
import { type DiffIndex, hunkOf, neighbourHunk } from '../../../domain/words/unified-diff.ts'
import type { WorktreeView } from '../../../operations/views/worktrees.ts'
import { reviewRefusals, reviewText } from '../../../text/integration.ts'
import { isUnderWay } from '../../actions/integration.ts'
import { topFor } from '../../core/layout.ts'
import { worktreeOf } from '../../core/selection.ts'
import { changingView, type ConsoleState, type Overlay, type Transition } from '../../core/state.ts'
import { sheetHeight } from '../../panes/movement.ts'
import { widthIn } from '../../rows/lines.ts'
import { type Document, documentOf, nameOf, type Shown } from './document.ts'
import { headLines } from './head.ts'
import { styleOf } from './reading.ts'
import { type Comment, diffOf, type LoadedReview, type Place, viewedIn } from './state.ts'

// A review on the screen: what is loaded of it, its document, the window and the cursor.

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

interface Window {
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

// Moves the cursor in a review. `height` is the number of visible rows.

/** Moves by so many rows. */
export const moveCursor = (state: ConsoleState, overlay: ApprovalOverlay, by: number, height: number): ConsoleState => {
  const document = reviewDocument(state, overlay)
  if (!document) return state
  const { cursor, top } = standing(document, overlay, height)
  const row = Math.max(0, Math.min(document.total - 1, cursor + by))
  // A page scrolls the view as well as the cursor.
  const paged = Math.abs(by) >= height - 1 ? Math.max(0, Math.min(document.total - height, top + by)) : top
  return goTo(state, overlay, document, row, topFor(paged, row, height, document.total))
}

/** Puts the cursor on a visible row, so many below the first; nothing scrolls. */
export const selectInReview = (
  state: ConsoleState,
  overlay: ApprovalOverlay,
  line: number,
  height: number,
): ConsoleState => {
  const document = reviewDocument(state, overlay)
  if (!document || line >= height) return state
  const { top } = standing(document, overlay, height)
  return top + line < document.total ? goTo(state, overlay, document, top + line, top) : state
}

/** Puts the cursor on a place; the top stays the same while the place is visible. */
export const goToPlace = (
  state: ConsoleState,
  overlay: ApprovalOverlay,
  place: Place,
  height: number,
): ConsoleState => {
  const document = reviewDocument(state, overlay)
  if (!document) return state
  const row = document.rowOf(place)
  const { top } = standing(document, overlay, height)
  // The target of a jump is in the upper half, so that its context is visible; a file begins at the top.
  const above = place.line === -1 ? 1 : Math.floor(height / 4)
  const near =
    row >= top && row < top + Math.ceil(height / 2) ? top : Math.max(0, Math.min(document.total - height, row - above))
  return goTo(state, overlay, document, row, near)
}

/** Scrolls until a comment below the cursor is visible, and the cursor still is. */
export const seeComment = (state: ConsoleState, comment: number, height: number): ConsoleState => {
  const overlay = approvalIn(state.view.overlay)
  const document = overlay && reviewDocument(state, overlay)
  if (!document) return state
  const { cursor, top } = standing(document, overlay, height)
  const { file } = overlay.at
  let last = document.rowOf({ ...overlay.at, comment })
  while (last + 1 < document.total && isPartOf(document.placeOf(last + 1), file, comment)) last++
  return goTo(state, overlay, document, cursor, Math.min(cursor, Math.max(top, last - height + 1)))
}

const isPartOf = (place: Place, file: number, comment: number): boolean =>
  place.file === file && place.comment === comment

const goTo = (
  state: ConsoleState,
  overlay: ApprovalOverlay,
  document: Document,
  row: number,
  top: number,
): ConsoleState =>
  changingView(() => ({ overlay: { ...overlay, at: document.placeOf(row), offset: row - top } }))(state)

/** Moves to the name of the next file, or to that of this one and then of the previous one. */
export const toFile =
  (by: 1 | -1, height: (state: ConsoleState) => number): Transition =>
  (state) => {
    const here = hereIn(state)
    if (!here) return state
    const { overlay, loaded } = here
    const { at } = overlay
    const file = by === 1 ? at.file + 1 : at.line === -1 ? at.file - 1 : at.file
    if (file >= loaded.review.files.length) return state
    return goToPlace(
      state,
      overlay,
      file < 0 ? { file: -1, line: 0, piece: 0 } : { file, line: -1, piece: 1 },
      height(state),
    )
  }

/** Moves to the next hunk, also in later files. */
export const toHunk =
  (by: 1 | -1, height: (state: ConsoleState) => number): Transition =>
  (state) => {
    const here = hereIn(state)
    if (!here) return state
    const place = hunkFrom(here.loaded, here.overlay, by)
    return place ? goToPlace(state, here.overlay, place, height(state)) : state
  }

const hunkFrom = (loaded: LoadedReview, { at, folded }: ApprovalOverlay, by: 1 | -1): Place | undefined => {
  const index = indexAt(loaded, at.file, folded)
  const start = by === -1 && index && at.line > 0 ? hunkOf(index, at.line) : at.line
  if (index && start !== at.line && start >= 0) return { file: at.file, line: start, piece: 0 }
  const own = index ? neighbourHunk(index, at.line, by) : -1
  if (own !== -1) return { file: at.file, line: own, piece: 0 }
  for (let file = at.file + by; file >= 0 && file < loaded.review.files.length; file += by) {
    const other = indexAt(loaded, file, folded)
    const line =
      other && other.count > 0 ? (by === 1 ? neighbourHunk(other, -1, 1) : neighbourHunk(other, other.count, -1)) : -1
    if (line !== -1) return { file, line, piece: 0 }
  }
  return undefined
}

const indexAt = (loaded: LoadedReview, file: number, folded: readonly string[]): DiffIndex | undefined => {
  const found = loaded.review.files[file]
  return found && !folded.includes(found.path) ? (diffOf(loaded, found) ?? undefined) : undefined
}

const hereIn = (
  state: ConsoleState,
): { readonly overlay: ApprovalOverlay; readonly loaded: LoadedReview } | undefined => {
  const overlay = approvalIn(state.view.overlay)
  const loaded = overlay && reviewOf(state, overlay.worktree)
  return overlay && loaded ? { overlay, loaded } : undefined
}

// Shared by the keys of a review: a jump to a place, the loaded review, and the reasons why there is none.

export const go = (state: ConsoleState, overlay: ApprovalOverlay, place: Place): ConsoleState =>
  goToPlace(changingView(() => ({ overlay }))(state), overlay, place, sheetHeight(state))

export const reviewIn = (state: ConsoleState) => {
  const overlay = approvalIn(state.view.overlay)
  return overlay ? reviewOf(state, overlay.worktree) : null
}

export const { diffIsBeingRead: NOT_READ, noLine: NO_LINE } = reviewRefusals
