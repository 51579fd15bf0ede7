import { layoutOf } from '../core/layout.ts'
import { moveOnBoard, toEnd } from './board.ts'
import { indexIn, rowsThatFit, selectAt } from './list.ts'
import { sheetOf, viewOf } from '../core/overlays.ts'
import { changingView, type ConsoleState, type Overlay, type Pane, type Transition } from '../core/state.ts'

// Moves in the panes: focus, selection, scrolling.

/** Moves the selection, or scrolls what is read. */
export const move =
  (by: number): Transition =>
  (state) => {
    const { overlay, pane } = state.view
    if (overlay) return scroll(state, overlay, by)
    if (pane === 'board' && state.view.shape.as !== 'list') return moveOnBoard(state, by)
    // The target rows of the jump are being read.
    if (pane === 'board' && state.view.jump)
      return changingView(({ jump }) => ({ jump: jump && { ...jump, by: jump.by + by } }))(state)
    return pane === 'log' ? scrollLog(state, by) : selectAt(state, pane, indexIn(state, pane) + by)
  }

/** Moves in a pane without focusing it, as the mouse wheel does. */
export const moveIn =
  (pane: Pane, by: number): Transition =>
  (state) => {
    if (pane === 'log') return scrollLog(state, by)
    return pane === 'board' && state.view.shape.as !== 'list'
      ? moveOnBoard(state, by)
      : selectAt(state, pane, indexIn(state, pane) + by)
  }

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

const jumpTo = (to: 'first' | 'last', around: number): Transition =>
  changingView(() => ({ around, jump: { to, by: 0 } }))

export const toLast: Transition = (state) => {
  const { overlay, pane } = state.view
  if (overlay) return scroll(state, overlay, Infinity)
  if (pane === 'log') return scrollLog(state, Infinity)
  if (pane === 'board' && state.view.shape.as !== 'list') return toEnd(state, 'last')
  if (pane === 'board' && (state.board.moreAfter || state.view.jump))
    return jumpTo('last', Number.MAX_SAFE_INTEGER)(state)
  return selectAt(state, pane, Infinity)
}

export const selectTask = (id: number): Transition =>
  changingView((_, { board }) => ({
    pane: 'board',
    about: 'board',
    task: id,
    ...(board.tasks.some((task) => task.id === id) ? {} : { around: id }),
  }))

export const selectAgent = (id: string): Transition =>
  changingView(() => ({ pane: 'agents', about: 'agents', agent: id }))

export const selectWorktree = (name: string): Transition =>
  changingView(() => ({ pane: 'worktrees', about: 'worktrees', worktree: name }))

export const followLog: Transition = changingView((view) => ({ follow: !view.follow, back: 0 }))

export const resized =
  (columns: number, rows: number): Transition =>
  (state) =>
    state.view.size.columns === columns && state.view.size.rows === rows
      ? state
      : changingView(() => ({ size: { columns, rows } }))(state)

/** Lines of a sheet: the body without its two border lines, and the line that says what the keys answer. */
export const sheetHeight = (state: ConsoleState): number => {
  const { size, pane, overlay } = state.view
  return Math.max(1, layoutOf(size.columns, size.rows, pane).body - 2 - (hasAnswer(state, overlay) ? 1 : 0))
}

/** Below these a line says what their keys do. */
const hasAnswer = (state: Pick<ConsoleState, 'table'>, overlay: Overlay | null): boolean =>
  overlay !== null && viewOf(state, overlay).answer !== undefined

const heightOf = (state: ConsoleState): number => {
  const { overlay, pane } = state.view
  return overlay === null ? rowsThatFit(state, pane) : (viewOf(state, overlay).page ?? sheetHeight)(state)
}

const scroll = (state: ConsoleState, overlay: Overlay, by: number): ConsoleState =>
  (viewOf(state, overlay).scroll ?? scrollLines)(state, overlay, by)

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
