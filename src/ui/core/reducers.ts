import type { LogLine } from '../../../components/Log.tsx'
import type { Tone } from '../../../components/base/look.ts'
import type { Supervision } from '../../contracts/console.ts'
import type { ProcessObservation, WorktreeObservation, WorktreeSize } from '../../contracts/observations.ts'
import { isLasting, type Refusal } from '../../domain/rules/refusal.ts'
import { isHeld } from '../../domain/task/task.ts'
import { ours, safeText, type SafeText } from '../../domain/words/safe-text.ts'
import { instant, type Instant, later, milliseconds } from '../../domain/words/time.ts'
import type { AgentRunView } from '../../operations/agents/runs.ts'
import { type Board, RECEIPT } from '../../operations/screens/board.ts'
import type { TaskDetail } from '../../operations/tasks/detail.ts'
import { isOver } from './folded-agents.ts'
import { changingPreferences, changingView, type ConsoleState, isMerging, type Transition, type View } from './state.ts'
import { keep, keepEntries, keepRows, same } from './structural-sharing.ts'

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

// Transitions for data that arrives from outside. Unchanged rows stay the same objects.

export const processesArrived =
  (seen: readonly ProcessObservation[]): Transition =>
  (state) => {
    const processes = keepEntries(state.processes, Object.fromEntries(seen.map((one) => [one.agentId, one])))
    return processes === state.processes ? state : { ...state, processes }
  }

export const sizesArrived =
  (seen: readonly WorktreeSize[]): Transition =>
  (state) => {
    const sizes = keepEntries(state.sizes, {
      ...state.sizes,
      ...Object.fromEntries(seen.map((one) => [one.name, one])),
    })
    return sizes === state.sizes ? state : { ...state, sizes }
  }

/** The board did not answer, and is shown as it last was. */
export const boardMissed =
  (refusal: Refusal): Transition =>
  (state) => {
    const gone = isLasting(refusal) ? refusal.message : null
    return state.cutOff !== null && gone === state.gone ? state : { ...state, cutOff: state.cutOff ?? state.now, gone }
  }

export const boardAnswered: Transition = (state) => {
  if (state.cutOff === null) return state
  const read = { ...state, cutOff: null, gone: null }
  return state.gone === null ? read : unsaying(safeText(state.gone))(read)
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
    // A person who has scrolled up keeps the position while lines arrive below.
    view:
      state.view.follow || state.view.back === 0
        ? state.view
        : { ...state.view, back: Math.min(log.length, state.view.back + added) },
  })

/**
 * While nothing runs, rows show minutes: all are updated at multiples of this (ms), so that not each of them causes a
 * frame.
 */
const STILL = 10_000

export const secondPassed =
  (at: Instant, supervisor: Supervision): Transition =>
  (state) => {
    const step = instant(Math.floor(milliseconds(at) / STILL) * STILL)
    const now = !isStill(state) ? at : step > state.now ? step : state.now
    if (now === state.now && same(supervisor, state.supervisor)) return state
    const { closed } = state.supervisor
    // A key that was refused for this reason would work now.
    const opened = closed && !supervisor.closed ? unsaying(safeText(closed))(state) : state
    return {
      ...opened,
      now,
      supervisor: keep(state.supervisor, supervisor),
      board: withoutOldReceipts(state.board, later(now, -RECEIPT)),
    }
  }

/** True if nothing on the screen counts seconds. */
const isStill = ({ view, board, settled, now }: ConsoleState): boolean =>
  view.overlay === null &&
  board.tasks.every(({ status, notBefore }) => !isHeld(status) && (notBefore === null || notBefore <= now)) &&
  settled.length === 0 &&
  board.requests.every(({ answeredAt }) => answeredAt === null) &&
  !board.worktrees.some(isMerging) &&
  board.agents.every(({ taskId, process }) => taskId === null && process !== 'wanted' && process !== 'started')

/** A quiet board is not read again, so old receipts are removed here. */
const withoutOldReceipts = (board: Board, since: Instant): Board => {
  const requests = board.requests.filter(({ answeredAt }) => answeredAt === null || answeredAt >= since)
  return requests.length === board.requests.length ? board : { ...board, requests }
}

/** The words may contain foreign text, so they are made safe here. */
export const noticed = (text: string, tone: Tone): Transition =>
  changingView(() => ({ notice: { text: safeText(text), tone } }))

/** Takes a sentence away that is no longer true; another stays. */
export const unsaying =
  (sentence: SafeText): Transition =>
  (state) =>
    state.view.notice.text === sentence
      ? changingView(({ notice }) => ({ notice: { ...notice, text: ours('') } }))(state)
      : state

/** Hides the guidance for good: a person who dismissed it never sees it again. */
export const dismissGuide: Transition = (state) =>
  isGuiding(state) ? changingPreferences(() => ({ guided: true }))(state) : state

/** True while the board has no task and the person has not dismissed the guidance. */
export const isGuiding = ({ loaded, preferences, board, view }: ConsoleState): boolean =>
  loaded &&
  !preferences.guided &&
  view.filter === '' &&
  board.tasks.length === 0 &&
  Object.values(board.counts).every((count) => count === 0)
