import type { ProcessState } from '../agent.ts'
import { clockTime, duration, elapsed, type Instant } from '../time.ts'
import { processWords } from './seen.ts'
import { type Reason, sentence, timed } from './sentence.ts'
import type { AroundTask } from './task.ts'
import type { AgentTimes } from './since.ts'

export interface ReasonedAgent extends AgentTimes {
  readonly process: ProcessState
  readonly taskId: number | null
  readonly exitCode: number | null
  readonly launchError: string | null
  readonly stopReason: string | null
  readonly pausedAt: Instant | null
}

export type AroundAgent = Pick<AroundTask, 'now' | 'since' | 'process' | 'asked' | 'spell'> & {
  /** Since when it has its task. */
  readonly busySince?: Instant | null
}

/** Why an agent is in its state, as one sentence without its full stop. */
export const agentReason = (agent: ReasonedAgent, around: AroundAgent): string => sentence(reasonOf(agent, around), around)

const reasonOf = (agent: ReasonedAgent, { now, process, asked, busySince = null, spell = duration }: AroundAgent): Reason => {
  const ago = (at: Instant): string => spell(elapsed(at, now))
  if (agent.launchError !== null) return `could not be started: ${agent.launchError}`
  if (agent.status === 'terminated') return ended(agent)
  if (agent.stopRequestedAt !== null) return timed(`is being stopped for ${ago(agent.stopRequestedAt)}${agent.stopReason === null ? '' : `: ${agent.stopReason}`}`)
  if (agent.pausedAt !== null) return timed(`stands still since ${clockTime(agent.pausedAt)}, until the budget of its task is answered`)
  if (agent.process === 'wanted') return timed(`is being started for ${ago(agent.lastHeartbeat)}`)
  if (agent.process === 'waiting') return 'waits for its next task, without a process'
  const seen = agent.process === 'none' ? [] : processWords(process)
  if (asked) return timed([`waits for your answer for ${ago(asked.askedAt)}: ${asked.tool === null ? '' : `${asked.tool} `}${asked.subject}`, ...seen].join(', '))
  if (agent.status === 'offline') return timed([`offline: no sign of life for ${ago(agent.lastHeartbeat)}`, ...seen].join(', '))
  if (agent.taskId !== null && busySince !== null) return timed([`works on task ${agent.taskId} for ${ago(busySince)}`, ...seen].join(', '))
  if (agent.taskId !== null) return [`works on task ${agent.taskId}`, ...seen].join(', ')
  return ['has no task', `last heartbeat ${ago(agent.lastHeartbeat)} ago`, ...seen].join(', ')
}

const ended = ({ endedAt, exitCode, stopRequestedAt, stopReason }: ReasonedAgent): string => {
  const at = endedAt === null ? 'ended' : `ended at ${clockTime(endedAt)}`
  if (stopReason !== null) return `${at}: ${stopReason}`
  if (stopRequestedAt !== null) return `${at}: it was stopped`
  return exitCode === null ? at : `${at} with exit code ${exitCode}`
}
