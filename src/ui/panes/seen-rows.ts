import { roomsIn } from '../core/layout.ts'
import { rowAtTop } from './list-selection.ts'
import { rowsThatFit } from './room.ts'
import { shownAgents, shownTasks, shownWorktrees } from './sorting.ts'
import type { ConsoleState, ListPane } from '../core/state.ts'
import { topIn, visibleColumns } from '../core/board-window.ts'

// Tells which rows of the panes are on the screen.

export const seesTask = (state: ConsoleState, id: number): boolean =>
  hasRoom(state, 'board') && seenTasks(state).some((task) => task.id === id)

export const seesAgent = (state: ConsoleState, id: string): boolean =>
  hasRoom(state, 'agents') && seen(state, 'agents', shownAgents(state)).some((agent) => agent.id === id)

export const seesWorktree = (state: ConsoleState, name: string): boolean =>
  hasRoom(state, 'worktrees') &&
  seen(state, 'worktrees', shownWorktrees(state)).some((worktree) => worktree.name === name)

const hasRoom = (state: ConsoleState, of: ListPane): boolean => roomsIn(state)[of] !== undefined

const seen = <T>(state: ConsoleState, pane: ListPane, rows: readonly T[]): readonly T[] => {
  const fit = rowsThatFit(state, pane)
  const top = rowAtTop(state, pane, fit)
  return rows.slice(top, top + fit)
}

const seenTasks = (state: ConsoleState): readonly { readonly id: number }[] => {
  const { shape, task } = state.view
  if (shape.as === 'list') return seen(state, 'board', shownTasks(state))
  const fit = rowsThatFit(state, 'board')
  const seenOf = (tasks: readonly { readonly id: number }[], top: number): readonly { readonly id: number }[] => {
    const first = topIn(
      tasks,
      top,
      tasks.findIndex(({ id }) => id === task),
      fit,
    )
    return tasks.slice(first, first + fit)
  }
  if (shape.as === 'tree')
    return seenOf(
      (state.shapes.tree?.rows ?? []).map((row) => row.task),
      shape.tops.tree,
    )
  const visible = visibleColumns(state)
  return state.shapes.columns
    .filter(({ column }) => visible.includes(column))
    .flatMap(({ column, tasks }) => seenOf(tasks, shape.tops[column]))
}
