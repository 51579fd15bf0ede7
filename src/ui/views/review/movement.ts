import { type DiffIndex, hunkOf, neighbourHunk } from '../../../domain/words/unified-diff.ts'
import { topFor } from '../../core/layout.ts'
import { type ConsoleState, changingView, type Transition } from '../../core/state.ts'
import type { Document } from './document.ts'
import { type LoadedReview, type Place, diffOf } from './state.ts'
import { type ApprovalOverlay, approvalIn, reviewDocument, reviewOf, standing } from './window.ts'

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
