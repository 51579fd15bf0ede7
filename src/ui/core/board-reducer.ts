import type { Board } from '../../operations/screens/board.ts'
import { isOver } from './layout/folded-agents.ts'
import { keep, keepRows } from './same.ts'
import type { Transition, View } from './state.ts'

// The transition for a board that was read, and the selection in it.

/** `around` is the row around which it was read; if another window is wanted by now, that one will arrive. */
export const boardArrived =
  (next: Board, around?: number): Transition =>
  (state) => {
    const { board: old, view } = state
    const board: Board = {
      session: keep(old.session, next.session),
      usage: keep(old.usage, next.usage),
      budget: keep(old.budget, next.budget),
      counts: keep(old.counts, next.counts),
      tasks: keepRows(old.tasks, next.tasks, (task) => task.id),
      held: keep(old.held, next.held),
      limits: keep(old.limits, next.limits),
      moreBefore: next.moreBefore,
      moreAfter: next.moreAfter,
      agents: keepRows(old.agents, next.agents, (agent) => agent.id),
      endedAgents: next.endedAgents,
      worktrees: keepRows(old.worktrees, next.worktrees, (worktree) => worktree.name),
      attention: keep(old.attention, next.attention),
      requests: keepRows(old.requests, next.requests, (request) => request.id),
    }
    const unchanged = (Object.keys(board) as (keyof Board)[]).every((key) => board[key] === old[key])
    return {
      ...state,
      loaded: true,
      board: unchanged ? old : board,
      view: { ...view, ...selectionIn(board, old, view, around === undefined || around === view.around) },
    }
  }

/** A selection that is gone moves to its neighbour; without one the first row is selected. */
const selectionIn = (board: Board, old: Board, view: View, isWanted: boolean): Partial<View> => {
  const elsewhere = isElsewhere(board, view)
  const ids = board.tasks.map(({ id }) => id)
  const task = view.jump && isWanted ? landing(ids, view.jump) : elsewhere ? view.task : nearest(ids, view.task)
  const agents = board.agents.map(({ id }) => id)
  const worktrees = board.worktrees.map(({ name }) => name)
  return {
    ...(isWanted ? { jump: null } : {}),
    task,
    // A list is read again around the selection, so that the row on which keys act is on the screen.
    ...(elsewhere && isWanted && view.jump === null && view.shape.as === 'list' ? { around: view.task! } : {}),
    agent:
      view.agent === null
        ? (board.agents.find((agent) => !isOver(agent))?.id ?? agents[0] ?? null)
        : neighbour(
            agents,
            old.agents.map(({ id }) => id),
            view.agent,
          ),
    worktree: neighbour(
      worktrees,
      old.worktrees.map(({ name }) => name),
      view.worktree,
    ),
  }
}

/** The target of a jump, with the steps made since it began. */
const landing = (ids: readonly number[], { to, by }: NonNullable<View['jump']>): number | null =>
  ids[Math.max(0, Math.min(ids.length - 1, (to === 'last' ? ids.length - 1 : 0) + by))] ?? null

/** A selection in the columns or the tree, or outside of the window, is not gone: only the window differs. */
const isElsewhere = ({ tasks, moreBefore, moreAfter }: Board, { task, shape }: View): boolean =>
  task !== null &&
  (shape.as !== 'list' ||
    (moreBefore && task < (tasks[0]?.id ?? 0)) ||
    (moreAfter && task > (tasks.at(-1)?.id ?? Infinity)))

const nearest = (ids: readonly number[], wanted: number | null): number | null => {
  if (ids.length === 0) return null
  return wanted === null ? ids[0]! : (ids.find((id) => id >= wanted) ?? ids.at(-1)!)
}

const neighbour = (names: readonly string[], before: readonly string[], wanted: string | null): string | null =>
  wanted !== null && names.includes(wanted)
    ? wanted
    : (names[Math.min(names.length - 1, Math.max(0, before.indexOf(wanted ?? '')))] ?? null)
