import type { BoardRow } from '../../../components/Board.tsx'
import { boardLooks, type BoardState } from '../../../components/base/look.ts'
import { whyNotItsTurn } from '../../domain/task/contention.ts'
import { taskReason, taskSince } from '../../domain/task/status.ts'
import { isHeld } from '../../domain/task/task.ts'
import { ours, safeText, type SafeText } from '../../domain/words/safe-text.ts'
import { clockMinute, coarse, duration, elapsed, type Instant } from '../../domain/words/time.ts'
import type { Attention } from '../../operations/screens/attention.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import { IN_MAIN_CHECKOUT } from '../../text/panes.ts'
import { rowText } from '../../text/states.ts'
import { agentOf, endedWorktreeOf, taskOf, worktreeOf } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import { askedBy, seenOf } from './agents.ts'
import { byTheMinute, estimateOf } from './progress.ts'

// The row of a task, and the reason for its state. Only visible rows are created.

export const boardRow = (
  task: TaskView,
  now: Instant,
  attention: readonly Attention[],
  selected: boolean,
): BoardRow => {
  const asked = attention.filter((item) => item.taskId === task.id)
  const state = boardState(task, now, asked)
  return {
    id: task.id,
    priority: task.priority,
    state,
    says: saysOf(state, task, now),
    percent: state === 'in_progress' ? task.progressPercent : null,
    time: ours(state === 'waiting' ? duration(elapsed(now, task.notBefore!)) : since(task, now, asked)),
    agent:
      task.assignedAgentId !== null
        ? safeText(task.assignedAgentId)
        : state === 'sleeping'
          ? safeText(rowText.quotaOf(task.sleep!.kind))
          : ours('–'),
    title: titleOf(task),
    asks: asked.length > 0,
    selected,
  }
}

export const boardState = (task: TaskView, now: Instant, asked: readonly Attention[]): BoardState => {
  if (asked.some((item) => item.kind === 'permission' || item.kind === 'question')) return 'asks'
  if (asked.some((item) => item.kind === 'budget')) return 'spent'
  if (asked.some((item) => item.kind === 'stalled')) return 'stalled'
  if (task.status !== 'pending') return task.status
  if (task.blockedBy.length > 0) return 'blocked'
  if (asked.some((item) => item.kind === 'command')) return 'asking'
  if (task.sleep !== null && task.sleep.until > now) return 'sleeping'
  return task.notBefore !== null && task.notBefore > now ? 'waiting' : 'pending'
}

const saysOf = (state: BoardState, task: TaskView, now: Instant): SafeText => {
  if (state === 'sleeping') return ours(rowText.sleepsUntil(clockMinute(task.sleep!.until, now)))
  if (state === 'blocked') return ours(rowText.blockedBy(task.blockedBy, 3))
  if (state === 'waiting') return ours(rowText.retryIn)
  if (state === 'in_progress' && task.progressPercent !== null) return ours(rowText.working(task.progressPercent))
  return ours(boardLooks[state].word)
}

/** The beginning of the shown state: an agent that is stalled or asks has been so for less time than it has worked. */
export const boardSince = (task: TaskView, now: Instant, asked: readonly Attention[]): Instant => {
  const kinds = waitsBy[boardState(task, now, asked)] ?? []
  return asked.find(({ kind }) => kinds.includes(kind))?.since ?? taskSince(task, now)
}

const waitsBy: Partial<Record<BoardState, readonly Attention['kind'][]>> = {
  asks: ['permission', 'question'],
  spent: ['budget'],
  stalled: ['stalled'],
}

/**
 * The time in its state: in seconds for a task in progress, otherwise in minutes, so that a quiet board is not drawn
 * again.
 */
const since = (task: TaskView, now: Instant, asked: readonly Attention[]): string => {
  const ms = elapsed(boardSince(task, now, asked), now)
  return isHeld(task.status) ? duration(ms) : coarse(ms, duration)
}

/** Unchanged views stay the same objects, so their text is made safe once. */
const titles = new WeakMap<TaskView, SafeText>()

const titleOf = (task: TaskView): SafeText => {
  const known = titles.get(task)
  if (known !== undefined) return known
  const title = safeText(worksInMain(task) ? `${IN_MAIN_CHECKOUT} ${task.title}` : task.title)
  titles.set(task, title)
  return title
}

/** True for an agent that works in the person's own checkout. A shell command does so on purpose. */
const worksInMain = ({ status, command, targetWorktree, folder }: TaskView): boolean =>
  (status === 'claimed' || status === 'in_progress') && command === null && targetWorktree === null && folder === null

const restful: ReadonlySet<BoardState> = new Set(['claimed', 'completed', 'cancelled'])

/** Text that the column of the state already contains. */
const said = /^(?:failed at [\d:]+[^:]*: |stalled: |waiting: |blocked by [^;]*(?:; |$))/

/** The reason after a task's title on the board, or the estimated time of one in progress. */
export const rowReason = (state: ConsoleState, task: TaskView): SafeText => {
  const asked = state.board.attention.filter((item) => item.taskId === task.id)
  const shown = boardState(task, state.now, asked)
  if (shown === 'in_progress') return ours(estimateOf(state, task))
  if (restful.has(shown)) return ours('')
  const whole = reasonOfTask(state, task, byTheMinute)
  // Nothing blocks it: the next pass starts it.
  if (shown === 'pending' && whole.startsWith('ready')) return ours('')
  const reason = whole.replace(said, '')
  // These states take the column of the time.
  const lasts =
    shown === 'blocked' || shown === 'sleeping'
      ? rowText.lasts(byTheMinute(elapsed(taskSince(task, state.now), state.now)))
      : ''
  return ours([reason, lasts].filter((part) => part !== '').join('; '))
}

// The reason for a row's state, from all that the console knows.

type Spell = (ms: number) => string

/** `since`: the beginning of the state, if its duration belongs to the reason. */
export const reasonOfTask = (state: ConsoleState, task: TaskView, spell: Spell = duration, since?: Instant): string => {
  const { board, now } = state
  const agent = agentOf(state, task.assignedAgentId)
  const folder = worktreeOf(state, task.targetWorktree)?.folder
  const held = board.held.find(({ taskId }) => taskId === task.id)?.why
  const process = agent && seenOf(state, agent)
  return taskReason(task, {
    now,
    stalledAfter: board.limits.stalledAfter,
    stateOf: (id) => taskOf(state, id)?.status,
    held,
    ended: endedWorktreeOf(state, task),
    overBudget: task.overBudget || board.attention.some((item) => item.kind === 'budget' && item.taskId === task.id),
    paused: board.session?.status === 'running' && board.session.pausedAt !== null,
    inUse: task.status === 'pending' ? whyNotItsTurn(task, board.agents, board.limits) : undefined,
    running: running(board.agents),
    most: state.supervisor.most ?? board.limits.maxParallel,
    hold: state.supervisor.hold ?? null,
    supervised: state.supervisor.here || state.supervisor.pid !== null || (state.supervisor.hosts ?? 0) > 0,
    pausedAt: agent?.pausedAt ?? null,
    spell,
    ...(since === undefined ? {} : { since }),
    ...(process === undefined ? {} : { process }),
    ...(folder === undefined ? {} : { folder }),
    ...askedBy(state, ({ taskId }) => taskId === task.id),
  })
}

/** The writing agent in a task's worktree, for which a second one would wait: a person who starts it is asked. */
export const whyWorktreeBusy = ({ board }: ConsoleState, task: TaskView): string | undefined => {
  const why = whyNotItsTurn({ ...task, wantedAgentId: null }, board.agents, board.limits)
  return task.targetWorktree === null ? undefined : why
}

/** The number of agents that take a slot. */
const running = (agents: readonly AgentView[]): number =>
  agents.filter(({ process }) => process === 'wanted' || process === 'started').length
