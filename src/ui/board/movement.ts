import { boardColumns } from '../../domain/columns.ts'
import { focusNext, rowsThatFit } from '../movement.ts'
import { type ConsoleState, looking, type Transition, type View } from '../state.ts'
import { countOf } from './rows.ts'
import { type BoardShape, boardShapes, type Jump } from './state.ts'
import { tasksAround, topIn, visibleColumns, windowOfSelected } from './window.ts'

// Where one is on the board that is no list.

/** List, columns, tree, and again; the selection stays on the same task. */
export const cycleShape: Transition = (state) => {
  const { shape, task } = state.view
  const as: BoardShape = boardShapes[(boardShapes.indexOf(shape.as) + 1) % boardShapes.length]!
  const known = state.board.tasks.some(({ id }) => id === task)
  const around: Partial<View> = as === 'list' && task !== null && !known ? { around: task } : {}
  return looking(() => ({ pane: 'board', about: 'board', shape: { ...shape, as, jump: null }, ...around }))(state)
}

/** One row further, or as many as asked. */
export const moveOnBoard = (state: ConsoleState, by: number): ConsoleState => {
  const { jump } = state.view.shape
  // The rows that one jumps to are on their way.
  if (jump && typeof jump.to === 'string') return looking(({ shape }) => ({ shape: { ...shape, jump: { ...jump, by: (jump.by ?? 0) + by } as Jump } }))(state)
  const tasks = tasksAround(state)
  const index = tasks.findIndex(({ id }) => id === state.view.task)
  if (index === -1) return state
  return selectRow(state, Math.min(tasks.length - 1, Math.max(0, index + by)))
}

/** To an end of the column, or of the tree: that of what was read, where it is the end of all. */
export const toEnd = (state: ConsoleState, to: 'first' | 'last'): ConsoleState => {
  const { shape } = state.view
  const window = shape.as === 'tree' ? state.shapes.tree : windowOfSelected(state)
  if (!window) return state
  const whole = to === 'first' ? !window.moreBefore : !window.moreAfter
  if (whole) return selectRow(state, to === 'first' ? 0 : tasksAround(state).length - 1)
  const of = 'column' in window ? window.column : ('tree' as const)
  const tops = { ...shape.tops, [of]: to === 'first' ? 1 : Number.MAX_SAFE_INTEGER }
  return looking(() => ({ shape: { ...shape, tops, jump: { of, to } as Jump } }))(state)
}

/** To the column beside this one; where the board has no columns, to the pane. */
export const aside =
  (by: 1 | -1): Transition =>
  (state) => {
    const { pane, shape } = state.view
    if (pane !== 'board' || shape.as !== 'columns') return focusNext(by)(state)
    const window = windowOfSelected(state)
    if (!window) return state
    return intoColumn(state, boardColumns.indexOf(window.column) + by, by, rowOf(state))
  }

/** To the row at that height of a column, or of the next behind it that has any; at the last column one stays. */
export const intoColumn = (state: ConsoleState, index: number, by: 1 | -1, row: number): ConsoleState => {
  const of = boardColumns[index]
  if (of === undefined) return looking(({ shape }) => ({ shape: { ...shape, jump: null } }))(state)
  const window = visibleColumns(state).includes(of) ? state.shapes.columns.find(({ column }) => column === of) : undefined
  if (window?.tasks.length === 0 || (!window && countOf(state, of) === 0)) return intoColumn(state, index + by, by, row)
  if (!window) return looking(({ shape }) => ({ shape: { ...shape, jump: { of, to: { row, by } } } }))(state)
  const top = topIn(window.tasks, state.view.shape.tops[of], -1, rowsThatFit(state, 'board'))
  const task = window.tasks[Math.min(window.tasks.length - 1, top + row)]!
  return withLeft(looking(({ shape }) => ({ task: task.id, shape: { ...shape, jump: null } }))(state))
}

/** Selects a row of what was read, and sees to it that it is on the screen. */
export const selectRow = (state: ConsoleState, index: number): ConsoleState => {
  const tasks = tasksAround(state)
  const task = tasks[index]
  if (!task) return state
  const { shape } = state.view
  const of = shape.as === 'tree' ? ('tree' as const) : windowOfSelected(state)!.column
  const top = tasks[topIn(tasks, shape.tops[of], index, rowsThatFit(state, 'board'))]!
  return looking(() => ({ task: task.id, shape: { ...shape, tops: { ...shape.tops, [of]: top.id }, jump: null } }))(state)
}

/** The columns on the screen stay where they are until one goes beyond them. */
export const withLeft = (state: ConsoleState): ConsoleState => {
  const left = boardColumns.indexOf(visibleColumns(state)[0]!)
  return left === state.view.shape.left ? state : looking(({ shape }) => ({ shape: { ...shape, left } }))(state)
}

/** How far below the top of its column the selection stands. */
const rowOf = (state: ConsoleState): number => {
  const { tasks, column } = windowOfSelected(state)!
  const index = tasks.findIndex(({ id }) => id === state.view.task)
  return index - topIn(tasks, state.view.shape.tops[column], index, rowsThatFit(state, 'board'))
}
