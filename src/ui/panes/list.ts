import type { AgentView } from '../../operations/views/agents.ts'
import { rangeText } from '../../text/panes.ts'
import { cardsThatFit, topIn, visibleColumns } from '../core/board-window.ts'
import { foldedAgents } from '../core/folded-agents.ts'
import { type Room, roomsIn, topFor } from '../core/layout.ts'
import { boardWidths, TASK } from '../core/pane-needs.ts'
import { changingView, type ConsoleState, type ListPane, type Pane, type Transition, type View } from '../core/state.ts'
import { shownAgents, shownTasks, shownWorktrees } from './sorting.ts'

// The list of a pane: the rows that fit, the selected one, and those on the screen.

/** Rows of a list that fit: its room without the heading, and without the line for the reason of the selected row. */
export const rowsThatFit = (state: ConsoleState, pane: Pane): number => {
  const room = roomsIn(state)[pane]
  if (pane === 'board' && state.view.shape.as === 'columns') return cardsThatFit(room?.height ?? 2)
  return rowsIn(state, pane, room?.width ?? 0, room?.height ?? 2)
}

/** As `rowsThatFit`, in a room of so many columns and lines. */
export const rowsIn = (state: ConsoleState, pane: Pane, width: number, height: number): number =>
  Math.max(1, height - (pane === 'log' ? 0 : headIn(height)) - (hasLastLine(state, pane, width, height) ? 1 : 0))

/** True if the last line of a list is none of its rows: a reason, or the number of ended agents. */
const hasLastLine = (state: ConsoleState, pane: Pane, width: number, height: number): boolean =>
  (pane === 'board' && saysReason(state, width, height)) || (pane === 'agents' && foldedAgents(state).folded > 0)

/** Lines of a heading: none in a room of one line. */
export const headIn = (height: number): 0 | 1 => (height > 1 ? 1 : 0)

/** The fewest lines of a board with a line for a reason, and the columns that a reason needs after the longest title. */
const [LOWEST, REASON] = [5, 40] as const

/** True if a task may have a reason and the titles leave no room for it: that of the selected row has a line of its own. */
export const saysReason = ({ board, view }: ConsoleState, width: number, height: number): boolean => {
  if (view.shape.as !== 'list' || height < LOWEST || board.tasks.length === 0) return false
  const { agent, title, explains } = boardWidths(board.tasks)
  return explains && width - TASK - agent - title < REASON
}

// The selected and the visible rows of a list.

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

/** The distance from the end of the window of tasks at which another window is requested. */
const EDGE = 40

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

/** `1–9 of 16` beside the title of a list that does not fit; empty where all of it is visible, or nothing is known. */
export const rangeNote = (state: ConsoleState, pane: ListPane, room: Room | undefined): string => {
  if (!room || (pane === 'board' && state.view.shape.as !== 'list')) return ''
  const fit = rowsIn(state, pane, room.width, room.height)
  const { before, shown, all } = counted[pane](state, room.height)
  if (all <= fit) return ''
  const top = rowAtTop(state, pane, fit)
  return rangeText(before + top + 1, before + Math.min(shown, top + fit), all)
}

interface Counted {
  /** Rows before those that were read, those that were read, and all of them. */
  readonly before: number
  readonly shown: number
  readonly all: number
}

const whole = (shown: number): Counted => ({ before: 0, shown, all: shown })

const counted: Record<ListPane, (state: ConsoleState, height: number) => Counted> = {
  board: ({ board: { tasks, counts, moreBefore, moreAfter }, view }) => {
    if (!moreBefore && !moreAfter) return whole(tasks.length)
    // Between both ends, or among the found ones, the number of those before is unknown.
    if (view.filter !== '' || (moreBefore && moreAfter)) return whole(0)
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return { before: moreBefore ? all - tasks.length : 0, shown: tasks.length, all }
  },
  agents: (state, height) => {
    const { shown, folded } = foldedAgents(state)
    const hasLine = height - headIn(height) > 1 || shown.length === 0
    return { before: 0, shown: shown.length, all: shown.length + (hasLine ? 0 : folded) }
  },
  worktrees: ({ board }) => whole(board.worktrees.length),
}

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
