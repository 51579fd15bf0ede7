import type { BoardColumn } from '../../domain/task/task.ts'
import type { Room } from '../core/layout.ts'
import { rowsThatFit } from '../panes/list.ts'
import { type ConsoleState, changingView, type Transition } from '../core/state.ts'
import { moveOnBoard, selectOnBoard, withLeft } from '../panes/board.ts'
import { tasksAround, topIn, visibleColumns, windowOfSelected } from '../core/board-window.ts'

// Finds the target of the mouse on the columns and the tree.

/** The board's column at a column of the terminal; null in the tree. */
export const columnUnder = (state: ConsoleState, room: Room, at: number): BoardColumn | null => {
  if (state.view.shape.as !== 'columns') return null
  const seen = visibleColumns(state)
  const each = Math.floor(room.width / seen.length)
  return seen[Math.max(0, Math.min(seen.length - 1, Math.floor((at - room.left) / each)))]!
}

/** The task at a line of the board, counted from its heading; null if there is none. */
export const taskUnder = (state: ConsoleState, column: BoardColumn | null, line: number): number | null => {
  const height = rowsThatFit(state, 'board')
  if (line < 1 || line > height) return null
  const { task, shape } = state.view
  const tasks = column === null ? tasksAround(state) : tasksIn(state, column)
  const top = topIn(
    tasks,
    shape.tops[column ?? 'tree'],
    tasks.findIndex(({ id }) => id === task),
    height,
  )
  return tasks[top + line - 1]?.id ?? null
}

/** Selects the clicked row; nothing scrolls, because it is on the screen. */
export const selectUnder =
  (id: number): Transition =>
  (state) => {
    const selected = changingView(({ shape }) => ({ task: id, shape: { ...shape, jump: null } }))(state)
    if (state.view.shape.as === 'columns') return withLeft(selected)
    return selectOnBoard(
      selected,
      tasksAround(selected).findIndex((task) => task.id === id),
    )
  }

/** The wheel moves the selection if it is in the column under the mouse, and otherwise only scrolls that column. */
export const turnOnBoard =
  (column: BoardColumn | null, by: number): Transition =>
  (state) => {
    if (column === null || windowOfSelected(state)?.column === column) return moveOnBoard(state, by)
    const tasks = tasksIn(state, column)
    const height = rowsThatFit(state, 'board')
    const top = topIn(tasks, state.view.shape.tops[column], -1, height)
    const task = tasks[Math.max(0, Math.min(tasks.length - height, top + by))]
    return task === undefined || task === tasks[top]
      ? state
      : changingView(({ shape }) => ({ shape: { ...shape, tops: { ...shape.tops, [column]: task.id } } }))(state)
  }

const tasksIn = (state: ConsoleState, column: BoardColumn) =>
  state.shapes.columns.find((one) => one.column === column)?.tasks ?? []
