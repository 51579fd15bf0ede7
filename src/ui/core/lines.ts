import { problemLines } from '../../../components/lines/filter.ts'
import { noticeLines } from '../../../components/lines/notice.ts'
import { layoutOf } from './layout.ts'
import type { ConsoleState, Overlay } from './state.ts'
import { frontOf, stayingIn, viewOf } from './front.ts'
import type { LinesFrom } from './view-row.ts'

// The numbers of lines that an overlay takes from the panes, and from a notice.

/** Lines that the overlay takes from the panes; all of them for an overlay to read. */
export const linesTaken = (overlay: Overlay | null, body: number, columns: number, from: LinesFrom): number => {
  const front = frontOf(from, overlay)
  if (front === null) return 0
  // The overlay that stays visible has the whole room during a question or a typed line about it.
  return stayingIn(from, front) ? body : Math.min(body, linesOver(front, columns, from))
}

/** Lines of an overlay over another one. */
export const linesOver = (overlay: Overlay, columns: number, from: LinesFrom): number =>
  viewOf(from, overlay).lines?.(overlay, columns, from) ?? Infinity

/** Lines of a review that stay visible above an overlay; too few to show more than its border count as none. */
export const linesAbove = (taken: number, over: number): number => (taken - over > 3 ? taken - over : 0)

/** Lines that the notice takes. */
export const noticeHeight = (state: ConsoleState, width: number, most: number): number => {
  const { overlay, notice } = state.view
  if (most <= 1) return 1
  const typed = overlay === null ? undefined : viewOf(state, overlay).typed?.(state, overlay)
  return typed ? 1 + problemLines(typed, width, most).length : noticeLines(notice.text, width, most).length
}

/** Lines that it may take from the panes, or from a typed line's view: a question and text to read stay complete. */
export const noticeRoom = (from: Pick<ConsoleState, 'table'>, overlay: Overlay | null, body: number): number =>
  overlay === null ? (body < 10 ? 2 : 3) : (viewOf(from, overlay).notice?.(overlay, body, from) ?? 1)

/** Lines of the front overlay, without those that a long notice takes. */
export const heightIn = (state: ConsoleState, overlay: Overlay): number => {
  const { size, pane } = state.view
  const { body } = layoutOf(size.columns, size.rows, pane)
  const shown = body + 1 - noticeHeight(state, size.columns, noticeRoom(state, overlay, body))
  return Math.max(4, Math.min(shown, linesOver(overlay, size.columns, state)))
}
