import { type Around, over, type Reason, sentence, timed } from '../words/reason.ts'
import { clockTime, duration, elapsed, type Instant } from '../words/time.ts'
import { type AgentState, type ProcessSeen, type ProcessState, processWords } from './agent.ts'

// The state of an agent as a person reads it: since when, and why.

export interface ReasonedAgent extends AgentTimes {
  readonly process: ProcessState
  readonly taskId: number | null
  readonly exitCode: number | null
  readonly launchError: string | null
  readonly stopReason: string | null
  readonly pausedAt: Instant | null
}

/** The request of an agent to a person, and when it was made. */
export interface Asked {
  readonly kind: 'permission' | 'question'
  readonly tool: string | null
  readonly subject: string
  readonly askedAt: Instant
}

/** Facts around an agent, all of them optional. */
interface AroundAgent extends Around {
  /** The process of the agent; null if it is known to have ended. */
  readonly process?: ProcessSeen | null
  readonly asked?: Asked
  /** When it received its task. */
  readonly busySince?: Instant | null
  /** The format of durations; rows show minutes. */
  readonly spell?: (ms: number) => string
}

/** The reason for an agent's state, as one sentence without its full stop. */
export const agentReason = (agent: ReasonedAgent, around: AroundAgent): string =>
  sentence(reasonOf(agent, around), around)

const reasonOf = (
  agent: ReasonedAgent,
  { now, process, asked, busySince = null, spell = duration }: AroundAgent,
): Reason => {
  const ago = (at: Instant): string => spell(elapsed(at, now))
  if (agent.launchError !== null) return `start failed: ${agent.launchError}`
  if (agent.status === 'terminated') return ended(agent)
  if (agent.stopRequestedAt !== null)
    return timed(
      `stopping for ${ago(agent.stopRequestedAt)}${agent.stopReason === null ? '' : `: ${agent.stopReason}`}`,
    )
  if (agent.pausedAt !== null)
    return timed(`paused since ${clockTime(agent.pausedAt)}: the budget of its task needs your answer`)
  if (agent.process === 'wanted') return timed(`starting for ${ago(agent.lastHeartbeat)}`)
  if (agent.process === 'waiting') return 'waiting for its next task, no process'
  const seen = agent.process === 'none' ? [] : processWords(process)
  if (asked)
    return timed(
      [
        `waiting ${ago(asked.askedAt)} for your answer: ${asked.tool === null ? '' : `${asked.tool} `}${asked.subject}`,
        ...seen,
      ].join(', '),
    )
  if (agent.status === 'offline')
    return timed([`offline: no heartbeat for ${ago(agent.lastHeartbeat)}`, ...seen].join(', '))
  if (agent.taskId !== null && busySince !== null)
    return timed([`working on task ${agent.taskId} for ${ago(busySince)}`, ...seen].join(', '))
  if (agent.taskId !== null) return [`working on task ${agent.taskId}`, ...seen].join(', ')
  return ['no task', `last heartbeat ${ago(agent.lastHeartbeat)} ago`, ...seen].join(', ')
}

const ended = ({ endedAt, exitCode, stopRequestedAt, stopReason }: ReasonedAgent): Reason => {
  const at = endedAt === null ? 'ended' : `ended at ${clockTime(endedAt)}`
  if (stopReason !== null) return over(`${at}: ${stopReason}`)
  if (stopRequestedAt !== null) return over(`${at}: stopped`)
  return over(exitCode === null ? at : `${at} with exit code ${exitCode}`)
}

interface AgentTimes {
  readonly status: AgentState
  readonly registeredAt: Instant
  readonly lastHeartbeat: Instant
  readonly stopRequestedAt: Instant | null
  readonly endedAt: Instant | null
}

/**
 * `busySince`: when it received its task. An agent without a task has been free since its last task ended at
 * `freeSince`, or else since it is known.
 */
export const agentSince = (agent: AgentTimes, busySince: Instant | null, freeSince: Instant | null = null): Instant => {
  if (agent.status === 'terminated') return agent.endedAt ?? agent.lastHeartbeat
  if (agent.stopRequestedAt !== null) return agent.stopRequestedAt
  if (agent.status === 'offline') return agent.lastHeartbeat
  return busySince ?? freeSince ?? agent.registeredAt
}
