import { isLasting, type Refusal } from '../../domain/rules/refusal.ts'
import type { Supervision } from '../../contracts/console.ts'
import type { ProcessObservation, WorktreeObservation, WorktreeSize } from '../../contracts/observations.ts'
import { ours, type SafeText, safeText } from '../../domain/words/safe-text.ts'
import { isHeld } from '../../domain/task/task.ts'
import { type Instant, instant, later, milliseconds } from '../../domain/words/time.ts'
import type { AgentRunView } from '../../operations/agents/runs.ts'
import type { TaskDetail } from '../../operations/tasks/detail.ts'
import { type Board, RECEIPT } from '../../operations/screens/board.ts'
import type { LogLine } from '../../../components/Log.tsx'
import type { Tone } from '../../../components/base/look.ts'
import type { Preferences } from './preferences.ts'
import { keep, keepEntries, keepRows, same } from './same.ts'
import { type ConsoleState, changingView, isMerging, type Transition } from './state.ts'

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

/** A transition of the preferences alone. */
export const changingPreferences =
  (change: (preferences: Preferences, state: ConsoleState) => Partial<Preferences>): Transition =>
  (state) => ({ ...state, preferences: { ...state.preferences, ...change(state.preferences, state) } })

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
