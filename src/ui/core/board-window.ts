import { type BoardColumn, boardColumns } from '../../domain/task/task.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import { roomsIn, topFor } from './layout.ts'
import type { ColumnWindow, ConsoleState } from './state.ts'

// Determines the visible part of the columns and of the tree.

/** Columns of the terminal that a column of the board needs. */
const NARROWEST = 20

const columnsThatFit = (width: number): number =>
  Math.max(1, Math.min(boardColumns.length, Math.floor(width / NARROWEST)))

/** The columns on the screen, including that of the selection. */
export const visibleColumns = (state: ConsoleState): readonly BoardColumn[] => {
  const { size, shape } = state.view
  const fits = columnsThatFit(roomsIn(state).board?.width ?? size.columns)
  const left = topFor(
    shape.left,
    Math.max(0, boardColumns.indexOf(shownColumn(state) ?? 'pending')),
    fits,
    boardColumns.length,
  )
  return boardColumns.slice(left, left + fits)
}

/** The column of the selection, or the target of a jump. */
const shownColumn = (state: ConsoleState): BoardColumn | undefined => {
  const { jump } = state.view.shape
  return jump !== null && jump.of !== 'tree' ? jump.of : windowOfSelected(state)?.column
}

export const windowOfSelected = ({ shapes, view }: ConsoleState): ColumnWindow | undefined =>
  shapes.columns.find(({ tasks }) => tasks.some(({ id }) => id === view.task))

/** The tasks around the selection, in the order of their rows. */
export const tasksAround = (state: ConsoleState): readonly TaskView[] =>
  state.view.shape.as === 'tree'
    ? (state.shapes.tree?.rows ?? []).map(({ task }) => task)
    : (windowOfSelected(state)?.tasks ?? [])

/** The index of the first visible row: the previous top, moved so that the selection is visible. */
export const topIn = (
  tasks: readonly { readonly id: number }[],
  top: number,
  selected: number,
  height: number,
): number => {
  const at = tasks.findIndex(({ id }) => id === top)
  const after = tasks.findIndex(({ id }) => id > top)
  return topFor(at !== -1 ? at : Math.max(0, after), selected === -1 ? Math.max(0, at) : selected, height, tasks.length)
}

/**
 * Cards of a column that fit in a pane of that height: below the heading, and above the line with the selected one's
 * reason.
 */
export const cardsThatFit = (height: number): number => Math.max(1, height - (height < 5 ? 1 : 2))

/** Rows from the end of the window at which more are requested. */
const EDGE = 15

/** True if the selection is near the end of the read rows, or outside of them. */
export const runsOut = (state: ConsoleState): boolean => {
  const { as } = state.view.shape
  if (as === 'list') return false
  const window = as === 'tree' ? state.shapes.tree : windowOfSelected(state)
  const tasks = tasksAround(state)
  const at = tasks.findIndex(({ id }) => id === state.view.task)
  if (!window || at === -1) return true
  return (window.moreBefore && at < EDGE) || (window.moreAfter && at >= tasks.length - EDGE)
}
