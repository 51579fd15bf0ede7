import { safeText } from '../../domain/words/safe-text.ts'
import { clockTime, duration, type Instant } from '../../domain/words/time.ts'
import { silentSince } from '../../domain/host/host.ts'
import { agentReason, agentSince } from '../../domain/agent/status.ts'
import type { ProcessSeen } from '../../domain/agent/agent.ts'
import { taskReason, taskSince } from '../../domain/task/status.ts'
import { whyNotItsTurn } from '../../domain/task/contention.ts'
import { worktreeReason } from '../../domain/worktree/status.ts'
import { conflictBetween } from '../../domain/integration/radar.ts'
import { isOver } from '../../domain/task/task.ts'
import type { ProcessObservation } from '../../contracts/observations.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import { rowText } from '../../text/states.ts'
import { agentOf, endedWorktreeOf, taskOf, worktreeOf } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import { silentAfterIn } from './away.ts'

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
    unfinished: state.board.tasks
      .filter((task) => task.targetWorktree === worktree.name && !isOver(task.status))
      .map(({ id }) => id),
    configurationChanged: state.board.attention.some(
      ({ kind, host }) => kind === 'configuration' && host === undefined,
    ),
    clear: mergesNow(state, worktree),
    ...awayOf(state, worktree),
  })

/** Why the host of a worktree cannot push what it has. */
const awayOf = (state: ConsoleState, { host }: WorktreeView): { readonly away?: string } => {
  if (host?.state === 'lost') return { away: rowText.hostWasLost(safeText(host.name)) }
  const since = host && silentSince(host, state.now, silentAfterIn(state))
  return since === undefined ? {} : { away: rowText.hostIsSilent(safeText(host!.name), clockTime(since)) }
}

/**
 * True if the radar finds no conflict of the complete worktree with its target: the result of its last merge is
 * outdated.
 */
export const mergesNow = ({ radar }: Pick<ConsoleState, 'radar'>, { name, integration }: WorktreeView): boolean => {
  const known = radar?.worktrees.find((worktree) => worktree.name === name)
  if (
    !radar ||
    !known ||
    !integration ||
    known.target !== integration.target ||
    known.remark !== null ||
    known.uncommitted > 0
  )
    return false
  return conflictBetween(radar.pairs, name, integration.target, true) === undefined
}

export const sinceOfAgent = (state: ConsoleState, agent: AgentView): Instant =>
  agentSince(agent, busySince(state, agent), agent.freeSince)

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
  return request
    ? {
        asked: {
          kind: request.kind as 'permission' | 'question',
          tool: request.tool,
          subject: request.subject,
          askedAt: request.askedAt,
        },
      }
    : {}
}

/** The number of agents that take a slot. */
const running = (agents: readonly AgentView[]): number =>
  agents.filter(({ process }) => process === 'wanted' || process === 'started').length
