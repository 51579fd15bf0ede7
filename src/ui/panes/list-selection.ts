import { topFor } from '../core/layout.ts'
import { rowsThatFit } from './room.ts'
import { shownAgents, shownTasks, shownWorktrees } from './sorting.ts'
import { changingView, type ConsoleState, type ListPane, type Transition, type View } from '../core/state.ts'
import type { AgentView } from '../../operations/views/agents.ts'

// The selected and the visible rows of a list.

/** The distance from the end of the window of tasks at which another window is requested. */
const EDGE = 40

/** Selects a row of a list by its index, if there is one. */
export const selectRow =
  (pane: ListPane, index: number): Transition =>
  (state) =>
    index < keysIn[pane](state).length ? selectAt(state, pane, index) : state

/** The index of a list's first visible row. */
export const rowAtTop = (state: ConsoleState, pane: ListPane, fit: number): number =>
  topFor(topIndex(state, pane), inSight(state, pane), fit, keysIn[pane](state).length)

/** The index of the row that stays visible: the selected one, but no ended agent hides one that works while keys act elsewhere. */
const inSight = (state: ConsoleState, pane: ListPane): number => {
  const selected = indexIn(state, pane)
  if (pane !== 'agents' || state.view.about === 'agents') return selected
  const agents = shownAgents(state)
  const isEnded = (agent: AgentView | undefined): boolean => agent?.status === 'terminated'
  return isEnded(agents[selected])
    ? Math.max(
        0,
        agents.findIndex((agent) => !isEnded(agent)),
      )
    : selected
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

export const indexIn = (state: ConsoleState, pane: ListPane): number =>
  Math.max(0, keysIn[pane](state).indexOf(selectedIn[pane](state.view) ?? ''))

export const selectAt = (state: ConsoleState, pane: ListPane, wanted: number): ConsoleState => {
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
