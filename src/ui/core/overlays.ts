import type { Line } from '../../../components/Lines.tsx'
import { noticeLines, problemLines } from '../../../components/lines/notice.ts'
import type { SafeText } from '../../domain/words/safe-text.ts'
import { kindOf, layoutOf } from './layout.ts'
import { dismissGuide } from './reducers.ts'
import type { AnyView, SheetContent } from './registry.ts'
import { changingView, type ConsoleState, type Home, type Overlay, type Transition } from './state.ts'

// The views over the panes, one over the other: how one opens and closes, which is in front, what it contains, and
// its place on the screen.

/** Opens an overlay over the present one, to which closing it returns. Removes the previous notice. */
export const open = (overlay: Overlay): Transition =>
  changingView((view) => ({
    overlay: { ...overlay, behind: view.overlay },
    notice: { ...view.notice, text: '' as typeof view.notice.text },
  }))

/** Replaces the present overlay. */
export const replace = (overlay: Overlay): Transition =>
  changingView((view) => ({ overlay: { ...overlay, behind: view.overlay?.behind ?? null } }))

export const close: Transition = changingView(({ overlay }) => ({ overlay: overlay?.behind ?? null, ...overlay?.home }))

export const closeAll: Transition = changingView(({ overlay }) => ({ overlay: null, ...homeOf(overlay) }))

const homeOf = (overlay: Overlay | null | undefined): Home | undefined =>
  !overlay ? undefined : (homeOf(overlay.behind) ?? overlay.home)

/** An overlay opened by `opening` from the panes returns there, to where the person was, whatever row it selects. */
export const returning =
  (opening: Transition): Transition =>
  (state) => {
    const { overlay, pane, about } = state.view
    const opened = opening(state)
    return overlay !== null || opened.view.overlay === null
      ? opened
      : changingView((view) => ({ overlay: view.overlay && { ...view.overlay, home: { pane, about } } }))(opened)
  }

/** Closes what was opened over the nearest view to which an answer returns; without one, everything. */
export const closeOver: Transition = (state) => {
  const under = (overlay: Overlay | null | undefined): Overlay | null =>
    !overlay ? null : viewOf(state, overlay).hosts ? overlay : under(overlay.behind)
  const host = under(state.view.overlay)
  return host === null ? closeAll(state) : changingView(() => ({ overlay: host }))(state)
}

/** Esc: one step back, or the front view's own step. On the panes it removes the filter, the marks and the notice. */
export const back: Transition = (state: ConsoleState) => {
  const { overlay } = state.view
  if (overlay) return viewOf(state, overlay).back?.(state, overlay) ?? close(state)
  return changingView((view) => ({
    filter: '',
    marked: [],
    notice: { ...view.notice, text: '' as typeof view.notice.text },
  }))(dismissGuide(state))
}

/** The row of an overlay's view. */
export const viewOf = ({ table }: Pick<ConsoleState, 'table'>, overlay: Overlay): AnyView => table.views[overlay.kind]!

/** The visible overlay, which the mouse uses: while a line is typed, the overlay below it. */
export const frontOf = (state: Pick<ConsoleState, 'table'>, overlay: Overlay | null): Overlay | null =>
  overlay !== null && viewOf(state, overlay).typed !== undefined ? frontOf(state, overlay.behind ?? null) : overlay

/** The overlay that stays visible above a question about it: itself, or the nearest below. */
export const stayingIn = (
  state: Pick<ConsoleState, 'table'>,
  overlay: Overlay | null | undefined,
): Overlay | undefined => {
  if (!overlay) return undefined
  return viewOf(state, overlay).stays ? overlay : stayingIn(state, overlay.behind)
}

/** The content of the front overlay, if it is text to read. */
export const sheetOf = (state: ConsoleState): SheetContent | undefined =>
  state.view.overlay === null ? undefined : contentOf(state, state.view.overlay)

/** The content of an overlay. One frame needs it several times: its height, its lines, the target of the mouse. */
export const contentOf = (state: ConsoleState, overlay: Overlay): SheetContent | undefined => {
  const known = last.get(state)
  if (known?.overlay === overlay) return known.content
  const content = viewOf(state, overlay).content?.(state, overlay)
  last.set(state, { overlay, content })
  return content
}

const last = new WeakMap<ConsoleState, { readonly overlay: Overlay; readonly content: SheetContent | undefined }>()

export const sheetOfLines = (title: SafeText, lines: readonly Line[]): SheetContent => ({
  title,
  total: lines.length,
  line: (index) => lines[index]!,
})

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

/** The box of the front view in a body of so many lines; null without one. */
export const frontBox = (state: ConsoleState, body: number): Box | null => {
  const front = frontOf(state, state.view.overlay)
  return front && boxOf(state, front, body)
}

/** The fewest lines below a text that are worth seeing: a title, two rows and a border. */
const REST = 4

const boxOf = (state: ConsoleState, front: Overlay, body: number): Box => {
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

/** The columns of a dialog, and of the narrowest screen on which it is a box in the middle. */
const DIALOG = 100
const WIDE = 120

/** The columns of a dialog whose rows are long, at most; and what remains of the panes beside it. */
const LONG_ROWS = 160
const BESIDE = WIDE - DIALOG

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
