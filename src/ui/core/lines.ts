import { noticeLines, problemLines } from '../../../components/lines/notice.ts'
import { layoutOf } from './layout.ts'
import type { ConsoleState, Overlay } from './state.ts'
import { viewOf } from './front.ts'
import { boxOf } from './layout/box.ts'

// The numbers of lines that a notice takes, and what remains for a view.

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

/** The lines between the header and the notice, without those that a long notice takes. */
export const bodyShown = (state: ConsoleState): number => {
  const { size, pane, overlay } = state.view
  const { body } = layoutOf(size.columns, size.rows, pane)
  return body + 1 - noticeHeight(state, size.columns, noticeRoom(state, overlay, body))
}

/** Lines of the front overlay. */
export const heightIn = (state: ConsoleState, overlay: Overlay): number =>
  Math.max(4, boxOf(state, overlay, bodyShown(state)).lines)
