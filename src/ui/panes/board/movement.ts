import { boardColumns } from '../../../domain/task/task.ts'
import { focusNext } from '../focus.ts'
import { rowsThatFit } from '../room.ts'
import {
  type BoardShape,
  boardShapes,
  changingView,
  type ConsoleState,
  type Jump,
  type Transition,
  type View,
} from '../../core/state.ts'
import { countOf } from './rows.ts'
import { tasksAround, topIn, visibleColumns, windowOfSelected } from '../../core/board-window.ts'

// Moves the selection on the columns and the tree.

/** Cycles list, columns, tree; the selection stays on the same task. */
export const cycleShape: Transition = (state) => {
  const { shape, task } = state.view
  const as: BoardShape = boardShapes[(boardShapes.indexOf(shape.as) + 1) % boardShapes.length]!
  const known = state.board.tasks.some(({ id }) => id === task)
  const around: Partial<View> = as === 'list' && task !== null && !known ? { around: task } : {}
  return changingView(() => ({ pane: 'board', about: 'board', shape: { ...shape, as, jump: null }, ...around }))(state)
}

/** Moves by one row, or by `by` rows. */
export const moveOnBoard = (state: ConsoleState, by: number): ConsoleState => {
  const { jump } = state.view.shape
  // The target rows of the jump are being read.
  if (jump && typeof jump.to === 'string')
    return changingView(({ shape }) => ({ shape: { ...shape, jump: { ...jump, by: (jump.by ?? 0) + by } as Jump } }))(
      state,
    )
  const tasks = tasksAround(state)
  const index = tasks.findIndex(({ id }) => id === state.view.task)
  if (index === -1) return state
  return selectOnBoard(state, Math.min(tasks.length - 1, Math.max(0, index + by)))
}

/** Moves to an end of the column, or of the tree: of the read rows, if they include the end. */
export const toEnd = (state: ConsoleState, to: 'first' | 'last'): ConsoleState => {
  const { shape } = state.view
  const window = shape.as === 'tree' ? state.shapes.tree : windowOfSelected(state)
  if (!window) return state
  const whole = to === 'first' ? !window.moreBefore : !window.moreAfter
  if (whole) return selectOnBoard(state, to === 'first' ? 0 : tasksAround(state).length - 1)
  const of = 'column' in window ? window.column : ('tree' as const)
  const tops = { ...shape.tops, [of]: to === 'first' ? 1 : Number.MAX_SAFE_INTEGER }
  return changingView(() => ({ shape: { ...shape, tops, jump: { of, to } as Jump } }))(state)
}

/** Moves to the neighbouring column; without columns to the neighbouring pane. */
export const aside =
  (by: 1 | -1): Transition =>
  (state) => {
    const { pane, shape } = state.view
    if (pane !== 'board' || shape.as !== 'columns') return focusNext(by)(state)
    const window = windowOfSelected(state)
    if (!window) return state
    return intoColumn(state, boardColumns.indexOf(window.column) + by, by, rowOf(state))
  }

/**
 * Moves to the row at that height of a column, or of the next one in that direction with tasks; at the last column
 * nothing changes.
 */
export const intoColumn = (state: ConsoleState, index: number, by: 1 | -1, row: number): ConsoleState => {
  const of = boardColumns[index]
  if (of === undefined) return changingView(({ shape }) => ({ shape: { ...shape, jump: null } }))(state)
  const window = visibleColumns(state).includes(of)
    ? state.shapes.columns.find(({ column }) => column === of)
    : undefined
  if (window?.tasks.length === 0 || (!window && countOf(state, of) === 0)) return intoColumn(state, index + by, by, row)
  if (!window) return changingView(({ shape }) => ({ shape: { ...shape, jump: { of, to: { row, by } } } }))(state)
  const top = topIn(window.tasks, state.view.shape.tops[of], -1, rowsThatFit(state, 'board'))
  const task = window.tasks[Math.min(window.tasks.length - 1, top + row)]!
  return withLeft(changingView(({ shape }) => ({ task: task.id, shape: { ...shape, jump: null } }))(state))
}

/** Selects a row that was read, and scrolls it into view. */
export const selectOnBoard = (state: ConsoleState, index: number): ConsoleState => {
  const tasks = tasksAround(state)
  const task = tasks[index]
  if (!task) return state
  const { shape } = state.view
  const of = shape.as === 'tree' ? ('tree' as const) : windowOfSelected(state)!.column
  const top = tasks[topIn(tasks, shape.tops[of], index, rowsThatFit(state, 'board'))]!
  return changingView(() => ({
    task: task.id,
    shape: { ...shape, tops: { ...shape.tops, [of]: top.id }, jump: null },
  }))(state)
}

/** The columns on the screen stay until the selection leaves them. */
export const withLeft = (state: ConsoleState): ConsoleState => {
  const left = boardColumns.indexOf(visibleColumns(state)[0]!)
  return left === state.view.shape.left ? state : changingView(({ shape }) => ({ shape: { ...shape, left } }))(state)
}

/** The position of the selection below the top of its column. */
const rowOf = (state: ConsoleState): number => {
  const { tasks, column } = windowOfSelected(state)!
  const index = tasks.findIndex(({ id }) => id === state.view.task)
  return index - topIn(tasks, state.view.shape.tops[column], index, rowsThatFit(state, 'board'))
}
