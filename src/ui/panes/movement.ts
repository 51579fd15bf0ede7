import { layoutOf, topFor } from '../core/layout.ts'
import { moveOnBoard, toEnd } from './board/movement.ts'
import { rowsThatFit } from './room.ts'
import { viewOf } from '../core/front.ts'
import { sheetOf } from '../core/sheet.ts'
import { shownAgents, shownTasks, shownWorktrees } from './sorting.ts'
import { type ConsoleState, changingView, type Overlay, type Transition, type View } from '../core/state.ts'
import { type Pane, type ListPane } from '../core/panes.ts'

// Moves in the panes: focus, selection, scrolling.

/** The distance from the end of the window of tasks at which another window is requested. */
const EDGE = 40

/** Moves the selection, or scrolls what is read. */
export const move =
  (by: number): Transition =>
  (state) => {
    const { overlay, pane } = state.view
    if (overlay) return scroll(state, overlay, by)
    if (pane === 'board' && state.view.shape.as !== 'list') return moveOnBoard(state, by)
    // The target rows of the jump are being read.
    if (pane === 'board' && state.view.jump) return changingView(({ jump }) => ({ jump: jump && { ...jump, by: jump.by + by } }))(state)
    return pane === 'log' ? scrollLog(state, by) : selectAt(state, pane, indexIn(state, pane) + by)
  }

/** Moves in a pane without focusing it, as the mouse wheel does. */
export const moveIn =
  (pane: Pane, by: number): Transition =>
  (state) => {
    if (pane === 'log') return scrollLog(state, by)
    return pane === 'board' && state.view.shape.as !== 'list' ? moveOnBoard(state, by) : selectAt(state, pane, indexIn(state, pane) + by)
  }

/** Selects a row of a list by its index, if there is one. */
export const selectRow =
  (pane: ListPane, index: number): Transition =>
  (state) =>
    index < keysIn[pane](state).length ? selectAt(state, pane, index) : state

/** The index of a list's first visible row. */
export const rowAtTop = (state: ConsoleState, pane: ListPane, fit: number): number => topFor(topIndex(state, pane), indexIn(state, pane), fit, keysIn[pane](state).length)

/** A page in the front view. */
export const page =
  (direction: 1 | -1): Transition =>
  (state) =>
    move(direction * Math.max(1, heightOf(state) - 1))(state)

export const toFirst: Transition = (state) => {
  const { overlay, pane } = state.view
  if (overlay) return scroll(state, overlay, -Infinity)
  if (pane === 'log') return scrollLog(state, -Infinity)
  if (pane === 'board' && state.view.shape.as !== 'list') return toEnd(state, 'first')
  if (pane === 'board' && (state.board.moreBefore || state.view.jump)) return jumpTo('first', 1)(state)
  return selectAt(state, pane, 0)
}

const jumpTo = (to: 'first' | 'last', around: number): Transition => changingView(() => ({ around, jump: { to, by: 0 } }))

export const toLast: Transition = (state) => {
  const { overlay, pane } = state.view
  if (overlay) return scroll(state, overlay, Infinity)
  if (pane === 'log') return scrollLog(state, Infinity)
  if (pane === 'board' && state.view.shape.as !== 'list') return toEnd(state, 'last')
  if (pane === 'board' && (state.board.moreAfter || state.view.jump)) return jumpTo('last', Number.MAX_SAFE_INTEGER)(state)
  return selectAt(state, pane, Infinity)
}

export const selectTask = (id: number): Transition =>
  changingView((_, { board }) => ({ pane: 'board', about: 'board', task: id, ...(board.tasks.some((task) => task.id === id) ? {} : { around: id }) }))

export const selectAgent = (id: string): Transition => changingView(() => ({ pane: 'agents', about: 'agents', agent: id }))

export const selectWorktree = (name: string): Transition => changingView(() => ({ pane: 'worktrees', about: 'worktrees', worktree: name }))

export const followLog: Transition = changingView((view) => ({ follow: !view.follow, back: 0 }))

export const resized =
  (columns: number, rows: number): Transition =>
  (state) =>
    state.view.size.columns === columns && state.view.size.rows === rows ? state : changingView(() => ({ size: { columns, rows } }))(state)

/** Lines of a sheet: the body without its two border lines, and the line that says what the keys answer. */
export const sheetHeight = (state: ConsoleState): number => {
  const { size, pane, overlay } = state.view
  return Math.max(1, layoutOf(size.columns, size.rows, pane).body - 2 - (hasAnswer(state, overlay) ? 1 : 0))
}

/** Below these a line says what their keys do. */
const hasAnswer = (state: Pick<ConsoleState, 'table'>, overlay: Overlay | null): boolean => overlay !== null && viewOf(state, overlay).answer !== undefined

const heightOf = (state: ConsoleState): number => {
  const { overlay, pane } = state.view
  return overlay === null ? rowsThatFit(state, pane) : (viewOf(state, overlay).page ?? sheetHeight)(state)
}

const keysIn: Record<ListPane, (state: ConsoleState) => readonly (string | number)[]> = {
  board: (state) => shownTasks(state).map((task) => task.id),
  agents: (state) => shownAgents(state).map((agent) => agent.id),
  worktrees: (state) => shownWorktrees(state).map((worktree) => worktree.name),
}

const selectedIn: Record<ListPane, (view: View) => string | number | null> = {
  board: (view) => view.task,
  agents: (view) => view.agent,
  worktrees: (view) => view.worktree,
}

export const indexIn = (state: ConsoleState, pane: ListPane): number => Math.max(0, keysIn[pane](state).indexOf(selectedIn[pane](state.view) ?? ''))

const selectAt = (state: ConsoleState, pane: ListPane, wanted: number): ConsoleState => {
  const keys = keysIn[pane](state)
  const index = Math.min(keys.length - 1, Math.max(0, wanted))
  const key = keys[index]
  if (key === undefined) return state
  const top = topFor(topIndex(state, pane), index, rowsThatFit(state, pane), keys.length)
  const tops = { ...state.view.tops, [pane]: pane === 'board' ? (keys[top] ?? 0) : top }
  if (pane === 'agents') return changingView(() => ({ agent: String(key), tops }))(state)
  if (pane === 'worktrees') return changingView(() => ({ worktree: String(key), tops }))(state)
  // The loaded window is what is sorted: another one would change the order under the cursor.
  if (state.view.sorts.board !== undefined) return changingView(() => ({ task: Number(key), tops }))(state)
  const nearEdge = (state.board.moreAfter && index > keys.length - EDGE) || (state.board.moreBefore && index < EDGE)
  return changingView(() => ({ task: Number(key), tops, ...(nearEdge ? { around: Number(key) } : {}) }))(state)
}

/** The index of the row at the top; the board stores a task, because its window moves. */
export const topIndex = (state: ConsoleState, pane: ListPane): number => {
  const top = state.view.tops[pane]
  if (pane === 'board' && state.view.sorts.board !== undefined) return Math.max(0, keysIn.board(state).indexOf(top))
  return pane === 'board'
    ? Math.max(
        0,
        state.board.tasks.findIndex((task) => task.id >= top),
      )
    : top
}

const scroll = (state: ConsoleState, overlay: Overlay, by: number): ConsoleState => (viewOf(state, overlay).scroll ?? scrollLines)(state, overlay, by)

/** Scrolls text. */
export const scrollLines = (state: ConsoleState, overlay: Overlay, by: number): ConsoleState => {
  if (!('top' in overlay)) return state
  const last = Math.max(0, (sheetOf(state)?.total ?? 0) - sheetHeight(state))
  const top = Math.max(0, Math.min(last, Math.min(last, overlay.top) + by))
  return changingView(() => ({ overlay: { ...overlay, top } }))(state)
}

const scrollLog = (state: ConsoleState, by: number): ConsoleState => {
  const most = Math.max(0, state.log.length - rowsThatFit(state, 'log'))
  const back = Math.min(most, Math.max(0, state.view.back - by))
  return changingView(() => ({ back, follow: by > 0 && back === 0 ? true : by < 0 ? false : state.view.follow }))(state)
}
