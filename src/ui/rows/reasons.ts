import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import { coarse, duration, elapsed, type Instant } from '../../domain/words/time.ts'
import { agentReason } from '../../domain/agent/reason.ts'
import { agentSince } from '../../domain/agent/since.ts'
import type { ProcessSeen } from '../../domain/agent/process-seen.ts'
import { taskReason } from '../../domain/task/reason.ts'
import { taskSince } from '../../domain/task/since.ts'
import { whyNotItsTurn } from '../../domain/task/turn.ts'
import { worktreeReason } from '../../domain/worktree/reason.ts'
import { worktreeSince } from '../../domain/worktree/since.ts'
import { conflictBetween } from '../../domain/integration/radar.ts'
import { isOver } from '../../domain/task/task.ts'
import type { ProcessObservation } from '../../contracts/outside.ts'
import type { AgentView, TaskView, WorktreeView } from '../../operations/views/views.ts'
import type { BoardState } from '../../../components/base/look.ts'
import { boardState } from './board-row.ts'
import { agentOf, endedWorktreeOf, taskOf, worktreeOf } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import { rowText } from '../../text/rows.ts'

// The reason for a row's state, from all that the console knows.

/** Rows show durations in minutes, so that an idle row is not drawn again every second. */
export const byTheMinute = (ms: number): string => coarse(ms, duration)

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
    overBudget: board.attention.some((item) => item.kind === 'budget' && item.taskId === task.id),
    paused: board.session?.status === 'running' && board.session.pausedAt !== null,
    inUse: task.status === 'pending' ? whyNotItsTurn(task, board.agents, board.limits) : undefined,
    running: running(board.agents),
    most: board.limits.maxParallel,
    supervised: state.supervisor.here || state.supervisor.pid !== null,
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

export const reasonOfAgent = (state: ConsoleState, agent: AgentView): string => {
  const process = seenOf(state, agent)
  return agentReason(agent, {
    now: state.now,
    since: sinceOfAgent(state, agent),
    busySince: busySince(state, agent),
    ...(process === undefined ? {} : { process }),
    ...askedBy(state, ({ agentId }) => agentId === agent.id),
  })
}

export const reasonOfWorktree = (state: ConsoleState, worktree: WorktreeView, since?: Instant): string =>
  worktreeReason(worktree, {
    now: state.now,
    ...(since === undefined ? {} : { since }),
    unfinished: state.board.tasks.filter((task) => task.targetWorktree === worktree.name && !isOver(task.status)).map(({ id }) => id),
    configurationChanged: state.board.attention.some(({ kind }) => kind === 'configuration'),
    clear: mergesNow(state, worktree),
  })

/**
 * True if the radar finds no conflict of the complete worktree with its target: the result of its last merge is
 * outdated.
 */
export const mergesNow = ({ radar }: Pick<ConsoleState, 'radar'>, { name, integration }: WorktreeView): boolean => {
  const known = radar?.worktrees.find((worktree) => worktree.name === name)
  if (!radar || !known || !integration || known.target !== integration.target || known.remark !== null || known.uncommitted > 0) return false
  return conflictBetween(radar.pairs, name, integration.target, true) === undefined
}

export const sinceOfAgent = (state: ConsoleState, agent: AgentView): Instant => agentSince(agent, busySince(state, agent), agent.freeSince)

const busySince = (state: ConsoleState, { taskId }: AgentView): Instant | null => {
  const task = taskOf(state, taskId)
  return task ? taskSince(task, state.now) : null
}

/** Undefined before the first observation; null if its process was not found. */
const seenOf = ({ processes }: ConsoleState, agent: AgentView): ProcessSeen | null | undefined => {
  if (agent.process === 'none') return undefined
  const seen = processes[agent.id]
  if (seen) return processSeen(seen)
  return agent.process === 'ended' ? null : undefined
}

const processSeen = ({ cpu, lastOutput = null }: ProcessObservation): ProcessSeen => ({ cpu, lastOutput })

const askedBy = ({ board }: ConsoleState, of: (request: ConsoleState['board']['requests'][number]) => boolean) => {
  const request = board.requests.find((one) => one.status === 'open' && one.kind !== 'denial' && of(one))
  return request ? { asked: { kind: request.kind as 'permission' | 'question', tool: request.tool, subject: request.subject, askedAt: request.askedAt } } : {}
}

/** The number of agents that take a slot. */
const running = (agents: readonly AgentView[]): number => agents.filter(({ process }) => process === 'wanted' || process === 'started').length

const restful: ReadonlySet<BoardState> = new Set(['in_progress', 'claimed', 'completed', 'cancelled'])

/** Text that the column of the state already contains. */
const said = /^(?:failed at [\d:]+[^:]*: |stalled: |waiting: |blocked by [^;]*(?:; |$))/

/** The reason after a task's title on the board, if no agent works on it. */
export const rowReason = (state: ConsoleState, task: TaskView): SafeText => {
  const asked = state.board.attention.filter((item) => item.taskId === task.id)
  const shown = boardState(task, state.now, asked)
  if (restful.has(shown) || (shown === 'pending' && isReady(state, task))) return ours('')
  const reason = reasonOfTask(state, task, byTheMinute).replace(said, '')
  // These states take the column of the time.
  const lasts = shown === 'blocked' || shown === 'sleeping' ? rowText.lasts(byTheMinute(elapsed(taskSince(task, state.now), state.now))) : ''
  return ours([reason, lasts].filter((part) => part !== '').join('; '))
}

/** True if nothing blocks it: the next pass starts it. */
const isReady = (state: ConsoleState, task: TaskView): boolean => reasonOfTask(state, task).startsWith('ready')

/** In seconds for a working agent, otherwise in minutes. */
export const agentTime = (state: ConsoleState, agent: AgentView): SafeText => ours((agent.taskId === null ? byTheMinute : duration)(elapsed(sinceOfAgent(state, agent), state.now)))

export const worktreeTime = (state: ConsoleState, worktree: WorktreeView): SafeText => ours(byTheMinute(elapsed(worktreeSince(worktree), state.now)))
