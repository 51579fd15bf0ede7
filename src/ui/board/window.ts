import { boardColumns, type BoardColumn } from '../../domain/columns.ts'
import type { TaskView } from '../../operations/kernel/views.ts'
import { layoutOf, topFor } from '../layout.ts'
import type { ConsoleState } from '../state.ts'
import type { ColumnWindow } from './state.ts'

// Which part of the columns and of the tree is on the screen.

/** Columns of the terminal that a column of the board needs. */
const NARROWEST = 20

export const columnsThatFit = (width: number): number => Math.max(1, Math.min(boardColumns.length, Math.floor(width / NARROWEST)))

/** The columns on the screen, the one of the selection among them. */
export const visibleColumns = (state: ConsoleState): readonly BoardColumn[] => {
  const { size, pane, shape } = state.view
  const fits = columnsThatFit(layoutOf(size.columns, size.rows, pane, 0, state.comfort.arrangement).rooms.board?.width ?? size.columns)
  const left = topFor(shape.left, Math.max(0, boardColumns.indexOf(shownColumn(state) ?? 'pending')), fits, boardColumns.length)
  return boardColumns.slice(left, left + fits)
}

/** The column that one is in, or goes to. */
const shownColumn = (state: ConsoleState): BoardColumn | undefined => {
  const { jump } = state.view.shape
  return jump !== null && jump.of !== 'tree' ? jump.of : windowOfSelected(state)?.column
}

export const windowOfSelected = ({ shapes, view }: ConsoleState): ColumnWindow | undefined => shapes.columns.find(({ tasks }) => tasks.some(({ id }) => id === view.task))

/** The tasks of which one is selected, in the order of their rows. */
export const tasksAround = (state: ConsoleState): readonly TaskView[] =>
  state.view.shape.as === 'tree' ? (state.shapes.tree?.rows ?? []).map(({ task }) => task) : (windowOfSelected(state)?.tasks ?? [])

/** Where in a window its rows on the screen begin: at the task that was at the top, so that the selection is among them. */
export const topIn = (tasks: readonly { readonly id: number }[], top: number, selected: number, height: number): number => {
  const at = tasks.findIndex(({ id }) => id === top)
  const after = tasks.findIndex(({ id }) => id > top)
  return topFor(at !== -1 ? at : Math.max(0, after), selected === -1 ? Math.max(0, at) : selected, height, tasks.length)
}

/** Cards of a column that fit into a pane of that height: below the heading, and above the line that says why the selected one is in its state. */
export const cardsThatFit = (height: number): number => Math.max(1, height - (height < 5 ? 1 : 2))

/** Rows from the end of what was read at which more is asked for. */
const EDGE = 15

/** True where the selection comes near to the end of what was read, or lies outside of it. */
export const runsOut = (state: ConsoleState): boolean => {
  const { as } = state.view.shape
  if (as === 'list') return false
  const window = as === 'tree' ? state.shapes.tree : windowOfSelected(state)
  const tasks = tasksAround(state)
  const at = tasks.findIndex(({ id }) => id === state.view.task)
  if (!window || at === -1) return true
  return (window.moreBefore && at < EDGE) || (window.moreAfter && at >= tasks.length - EDGE)
}
