import { showPane } from './comfort/arrangement.ts'
import { layoutOf, shownPanes, topFor } from './layout.ts'
import { moveOnBoard, toEnd } from './board/movement.ts'
import { cardsThatFit } from './board/window.ts'
import { moveInSaved } from './filter/saved.ts'
import { itemsThatFit, moveInInbox } from './inbox/list.ts'
import { moveRow } from './radar.ts'
import { moveCursor } from './review/movement.ts'
import { moveInLogs } from './logs/movement.ts'
import { scrollPast } from './past/movement.ts'
import { memoryHeight, moveInMemory } from './memory/movement.ts'
import { moveLanes } from './plots/movement.ts'
import { sheetOf } from './sheets.ts'
import { shownAgents, shownTasks, shownWorktrees } from './sorting.ts'
import { type ConsoleState, type ListPane, looking, type Overlay, type Pane, type Transition, type View } from './state.ts'

// Where one is: pane, selection, scrolling.

/** So near to the end of the window of tasks, another window is asked for. */
const EDGE = 40

export const focus =
  (pane: Pane): Transition =>
  (state) =>
    looking((view) => ({ pane, about: pane === 'log' ? view.about : pane }))(showPane(pane)(state))

export const focusNext =
  (by: 1 | -1): Transition =>
  (state) => {
    const shown = shownPanes(state.comfort.arrangement, state.view.pane)
    return focus(shown[(shown.indexOf(state.view.pane) + by + shown.length) % shown.length]!)(state)
  }

/** Moves the selection, or scrolls what is read. */
export const move =
  (by: number): Transition =>
  (state) => {
    const { overlay, pane } = state.view
    if (overlay) return scroll(state, overlay, by)
    if (pane === 'board' && state.view.shape.as !== 'list') return moveOnBoard(state, by)
    // The rows that one jumps to are on their way.
    if (pane === 'board' && state.view.jump) return looking(({ jump }) => ({ jump: jump && { ...jump, by: jump.by + by } }))(state)
    return pane === 'log' ? scrollLog(state, by) : selectAt(state, pane, indexIn(state, pane) + by)
  }

/** Moves in a pane that need not have the focus, as the wheel of the mouse does. */
export const moveIn =
  (pane: Pane, by: number): Transition =>
  (state) => {
    if (pane === 'log') return scrollLog(state, by)
    return pane === 'board' && state.view.shape.as !== 'list' ? moveOnBoard(state, by) : selectAt(state, pane, indexIn(state, pane) + by)
  }

/** Selects a row of a list by its place, where there is one. */
export const selectRow =
  (pane: ListPane, index: number): Transition =>
  (state) =>
    index < keysIn[pane](state).length ? selectAt(state, pane, index) : state

/** The place of the first row that is seen of a list. */
export const rowAtTop = (state: ConsoleState, pane: ListPane, fit: number): number => topFor(topIndex(state, pane), indexIn(state, pane), fit, keysIn[pane](state).length)

/** A page of whatever is in front. */
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

const jumpTo = (to: 'first' | 'last', around: number): Transition => looking(() => ({ around, jump: { to, by: 0 } }))

export const toLast: Transition = (state) => {
  const { overlay, pane } = state.view
  if (overlay) return scroll(state, overlay, Infinity)
  if (pane === 'log') return scrollLog(state, Infinity)
  if (pane === 'board' && state.view.shape.as !== 'list') return toEnd(state, 'last')
  if (pane === 'board' && (state.board.moreAfter || state.view.jump)) return jumpTo('last', Number.MAX_SAFE_INTEGER)(state)
  return selectAt(state, pane, Infinity)
}

export const selectTask = (id: number): Transition =>
  looking((_, { board }) => ({ pane: 'board', about: 'board', task: id, ...(board.tasks.some((task) => task.id === id) ? {} : { around: id }) }))

export const selectAgent = (id: string): Transition => looking(() => ({ pane: 'agents', about: 'agents', agent: id }))

export const selectWorktree = (name: string): Transition => looking(() => ({ pane: 'worktrees', about: 'worktrees', worktree: name }))

export const followLog: Transition = looking((view) => ({ follow: !view.follow, back: 0 }))

export const resized =
  (columns: number, rows: number): Transition =>
  (state) =>
    state.view.size.columns === columns && state.view.size.rows === rows ? state : looking(() => ({ size: { columns, rows } }))(state)

/** Rows of a list that fit: its room without the heading. */
export const rowsThatFit = (state: ConsoleState, pane: Pane): number => {
  const { size, shape } = state.view
  const room = layoutOf(size.columns, size.rows, pane, 0, state.comfort.arrangement).rooms[pane]
  if (pane === 'board' && shape.as === 'columns') return cardsThatFit(room?.height ?? 2)
  return Math.max(1, (room?.height ?? 2) - (pane === 'board' || pane === 'agents' ? 1 : 0))
}

/** Lines of a sheet: the body without its two border lines, and the approval's answer. */
export const sheetHeight = ({ view }: ConsoleState): number => Math.max(1, layoutOf(view.size.columns, view.size.rows, view.pane).body - 2 - (hasAnswer(view.overlay) ? 1 : 0))

/** Below these a line says what their keys do. */
export const hasAnswer = (overlay: Overlay | null): boolean =>
  overlay?.kind === 'approval' || overlay?.kind === 'request' || overlay?.kind === 'guard' || overlay?.kind === 'budget'

const heightOf = (state: ConsoleState): number =>
  state.view.overlay?.kind === 'inbox'
    ? itemsThatFit(state)
    : state.view.overlay?.kind === 'memory'
      ? memoryHeight(state)
      : state.view.overlay
        ? sheetHeight(state)
        : rowsThatFit(state, state.view.pane)

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
  if (pane === 'agents') return looking(() => ({ agent: String(key), tops }))(state)
  if (pane === 'worktrees') return looking(() => ({ worktree: String(key), tops }))(state)
  // What is sorted is the window as it was read: another one would shuffle it under the cursor.
  if (state.view.sorts.board !== undefined) return looking(() => ({ task: Number(key), tops }))(state)
  const nearEdge = (state.board.moreAfter && index > keys.length - EDGE) || (state.board.moreBefore && index < EDGE)
  return looking(() => ({ task: Number(key), tops, ...(nearEdge ? { around: Number(key) } : {}) }))(state)
}

/** Index of the row at the top; the board remembers a task, since its window moves. */
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

const scroll = (state: ConsoleState, overlay: Overlay, by: number): ConsoleState => {
  if (overlay.kind === 'approval') return moveCursor(state, overlay, by, sheetHeight(state))
  if (overlay.kind === 'radar' && overlay.pair === null) return moveRow(state, overlay, by, sheetHeight(state))
  if (overlay.kind === 'memory') return moveInMemory(state, overlay, by)
  if (overlay.kind === 'logs') return moveInLogs(state, overlay, by)
  if (overlay.kind === 'past') return scrollPast(by)(state)
  if (overlay.kind === 'inbox') return moveInInbox(state, overlay, by)
  if (overlay.kind === 'plots') return moveLanes(state, overlay, by)
  if (overlay.kind === 'filters') return moveInSaved(state, overlay, by, sheetHeight(state))
  if (!('top' in overlay)) return state
  const total = overlay.kind === 'help' ? overlay.total : (sheetOf(state)?.total ?? 0)
  const last = Math.max(0, total - sheetHeight(state))
  const top = Math.max(0, Math.min(last, Math.min(last, overlay.top) + by))
  return looking(() => ({ overlay: { ...overlay, top } }))(state)
}

const scrollLog = (state: ConsoleState, by: number): ConsoleState => {
  const most = Math.max(0, state.log.length - rowsThatFit(state, 'log'))
  const back = Math.min(most, Math.max(0, state.view.back - by))
  return looking(() => ({ back, follow: by > 0 && back === 0 ? true : by < 0 ? false : state.view.follow }))(state)
}
