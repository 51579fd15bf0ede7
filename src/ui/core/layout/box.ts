import { frontOf, stayingIn, viewOf } from '../front.ts'
import { contentOf } from '../sheet.ts'
import { kindOf } from '../layout.ts'
import type { ConsoleState, Overlay } from '../state.ts'

// The place of a view over the panes. It is as tall as what it says: what it does not cover stays as it was.

export interface Box {
  /** Counted from the first line of the body and from the first column. */
  readonly top: number
  readonly left: number
  readonly columns: number
  readonly lines: number
  /** The part of the screen that remains visible beside it. */
  readonly over: 'panes' | 'view' | 'nothing'
}

/** The columns of a dialog, and of the narrowest screen on which it is a box in the middle. */
const DIALOG = 100
const WIDE = 120

/** The columns of a dialog whose rows are long, at most; and what remains of the panes beside it. */
const LONG_ROWS = 160
const BESIDE = WIDE - DIALOG

/** The fewest lines below a text that are worth seeing: a title, two rows and a border. */
const REST = 4

/** The box of the front view in a body of so many lines; null without one. */
export const frontBox = (state: ConsoleState, body: number): Box | null => {
  const front = frontOf(state, state.view.overlay)
  return front && boxOf(state, front, body)
}

export const boxOf = (state: ConsoleState, front: Overlay, body: number): Box => {
  const { columns: all } = state.view.size
  const staying = stayingIn(state, front)
  const whole = { top: 0, left: 0, columns: all, lines: body, over: 'nothing' } as const
  if (staying === front) return whole
  const [columns, lines] = [columnsOver(state, front), Math.min(body, linesOver(state, front, body))]
  if (staying) return { top: linesAbove(body, lines), left: 0, columns, lines, over: 'view' }
  if (columns < all) return { top: (body - lines) >> 1, left: (all - columns) >> 1, columns, lines, over: 'panes' }
  // A text begins at the top, where it stays while sections of it unfold. A question is at the bottom.
  if (!isText(state, front)) return { top: body - lines, left: 0, columns, lines, over: 'panes' }
  const rest = kindOf(all, state.view.size.rows) === 'small' ? 0 : body - lines
  return rest < REST ? whole : { top: 0, left: 0, columns, lines, over: 'panes' }
}

/** The columns of a view. A question about a view that stays visible is as wide as that view. */
export const columnsOver = (state: Pick<ConsoleState, 'table' | 'view' | 'preferences'>, overlay: Overlay): number => {
  const { columns } = state.view.size
  const { dialog } = viewOf(state, overlay)
  if (!dialog || columns < WIDE || state.preferences.spoken || stayingIn(state, overlay)) return columns
  return dialog === 'wide' ? Math.min(LONG_ROWS, columns - BESIDE) : DIALOG
}

/** Lines of a view: what it declares, or those of its text with the border and the line of its keys. */
const linesOver = (state: ConsoleState, overlay: Overlay, body: number): number => {
  const { lines, window, content, answer, tall } = viewOf(state, overlay)
  if (lines) return lines(overlay, columnsOver(state, overlay), state)
  if (tall) return tall(state, overlay, body) + 2
  if (!content || window) return Infinity
  return (contentOf(state, overlay)?.total ?? 1) + 2 + (answer ? 1 : 0)
}

const isText = (state: ConsoleState, overlay: Overlay): boolean => {
  const { lines, window, content, dialog, tall } = viewOf(state, overlay)
  return (tall ?? (window ? undefined : content)) !== undefined && lines === undefined && !dialog
}

/** Lines of a view that stays visible above another; too few to show more than its border count as none. */
const linesAbove = (body: number, over: number): number => (body - over > 3 ? body - over : 0)
