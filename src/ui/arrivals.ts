import type { ProcessObservation, WorktreeObservation, WorktreeSize } from '../operations/kernel/outside.ts'
import { safeText } from '../domain/safe-text.ts'
import { isHeld } from '../domain/task.ts'
import { type Instant, instant, later, milliseconds } from '../domain/time.ts'
import type { AgentRunView } from '../operations/get-agent-runs.ts'
import type { TaskDetail } from '../operations/get-task.ts'
import { type Board, RECEIPT } from '../operations/read-board.ts'
import type { LogLine } from '../../components/Log.tsx'
import type { Tone } from '../../components/look.ts'
import { keep, keepEntries, keepRows, same } from './same.ts'
import { type ConsoleState, looking, type Transition, type View } from './state.ts'

// What comes in from outside, as transitions. Rows that say the same stay the same objects.

/** `around` is what it was read round; where another window is wanted by now, that one is on its way. */
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
      worktrees: keepRows(old.worktrees, next.worktrees, (worktree) => worktree.name),
      attention: keep(old.attention, next.attention),
      requests: keepRows(old.requests, next.requests, (request) => request.id),
    }
    const unchanged = (Object.keys(board) as (keyof Board)[]).every((key) => board[key] === old[key])
    return { ...state, loaded: true, board: unchanged ? old : board, view: { ...view, ...selectionIn(board, old, view, around === undefined || around === view.around) } }
  }

/** A selection that is gone passes to its neighbour; the first row is selected where nothing is. */
const selectionIn = (board: Board, old: Board, view: View, isWanted: boolean): Partial<View> => {
  const elsewhere = isElsewhere(board, view)
  const ids = board.tasks.map(({ id }) => id)
  const task = view.jump && isWanted ? landing(ids, view.jump) : elsewhere ? view.task : nearest(ids, view.task)
  const agents = board.agents.map(({ id }) => id)
  const worktrees = board.worktrees.map(({ name }) => name)
  return {
    ...(isWanted ? { jump: null } : {}),
    task,
    // A list is read again around what is selected: keys act on it, so it is on the screen.
    ...(elsewhere && isWanted && view.jump === null && view.shape.as === 'list' ? { around: view.task! } : {}),
    agent: neighbour(
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

/** Where a jump leads, with the steps that were made since it was begun. */
const landing = (ids: readonly number[], { to, by }: NonNullable<View['jump']>): number | null =>
  ids[Math.max(0, Math.min(ids.length - 1, (to === 'last' ? ids.length - 1 : 0) + by))] ?? null

/** What is selected in the columns or the tree, or lies beyond the window, has not gone: the window is another. */
const isElsewhere = ({ tasks, moreBefore, moreAfter }: Board, { task, shape }: View): boolean =>
  task !== null && (shape.as !== 'list' || (moreBefore && task < (tasks[0]?.id ?? 0)) || (moreAfter && task > (tasks.at(-1)?.id ?? Infinity)))

const nearest = (ids: readonly number[], wanted: number | null): number | null => {
  if (ids.length === 0) return null
  return wanted === null ? ids[0]! : (ids.find((id) => id >= wanted) ?? ids.at(-1)!)
}

const neighbour = (names: readonly string[], before: readonly string[], wanted: string | null): string | null =>
  wanted !== null && names.includes(wanted) ? wanted : (names[Math.min(names.length - 1, Math.max(0, before.indexOf(wanted ?? '')))] ?? null)

export const processesArrived =
  (seen: readonly ProcessObservation[]): Transition =>
  (state) => {
    const processes = keepEntries(state.processes, Object.fromEntries(seen.map((one) => [one.agentId, one])))
    return processes === state.processes ? state : { ...state, processes }
  }

export const sizesArrived =
  (seen: readonly WorktreeSize[]): Transition =>
  (state) => {
    const sizes = keepEntries(state.sizes, { ...state.sizes, ...Object.fromEntries(seen.map((one) => [one.name, one])) })
    return sizes === state.sizes ? state : { ...state, sizes }
  }

export const worktreesArrived =
  (seen: readonly WorktreeObservation[]): Transition =>
  (state) => {
    const observed = keepEntries(state.observed, Object.fromEntries(seen.map((one) => [one.name, one])))
    return observed === state.observed ? state : { ...state, observed }
  }

export const runsArrived =
  (next: readonly AgentRunView[]): Transition =>
  (state) => {
    const runs = keepRows(state.runs, next, ({ agentId, run }) => `${agentId}.${run}`)
    return runs === state.runs ? state : { ...state, runs }
  }

export const detailArrived =
  (next: TaskDetail | null): Transition =>
  (state) => {
    const detail = keep(state.detail, next)
    return detail === state.detail ? state : { ...state, detail }
  }

export const logArrived =
  (log: readonly LogLine[], added: number): Transition =>
  (state) => ({
    ...state,
    log,
    // Who reads further up keeps the place while lines come in below.
    view: state.view.follow || state.view.back === 0 ? state.view : { ...state.view, back: Math.min(log.length, state.view.back + added) },
  })

/** Where nothing runs, rows tell minutes: they are all moved on at multiples of this (ms), so that not each of them costs a frame of its own. */
const STILL = 10_000

export const secondPassed =
  (at: Instant, supervisor: { readonly here: boolean; readonly pid: number | null; readonly hold?: string | null }): Transition =>
  (state) => {
    const step = instant(Math.floor(milliseconds(at) / STILL) * STILL)
    const now = !isStill(state) ? at : step > state.now ? step : state.now
    return now === state.now && same(supervisor, state.supervisor)
      ? state
      : { ...state, now, supervisor: keep(state.supervisor, supervisor), board: withoutOldReceipts(state.board, later(now, -RECEIPT)) }
  }

/** Nothing on the screen counts seconds. */
const isStill = ({ view, board, settled, now }: ConsoleState): boolean =>
  view.overlay === null &&
  board.tasks.every(({ status, notBefore }) => !isHeld(status) && (notBefore === null || notBefore <= now)) &&
  settled.length === 0 &&
  board.requests.every(({ answeredAt }) => answeredAt === null) &&
  board.agents.every(({ taskId, process }) => taskId === null && process !== 'wanted' && process !== 'started')

/** A quiet board is not read again, so what was answered leaves it here. */
const withoutOldReceipts = (board: Board, since: Instant): Board => {
  const requests = board.requests.filter(({ answeredAt }) => answeredAt === null || answeredAt >= since)
  return requests.length === board.requests.length ? board : { ...board, requests }
}

/** The words may hold what others wrote, so they are made safe here. */
export const noticed = (text: string, tone: Tone): Transition => looking(() => ({ notice: { text: safeText(text), tone } }))
