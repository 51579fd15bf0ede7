import type { Instant } from '../words/time.ts'
import type { AgentState } from './agent.ts'

export interface AgentTimes {
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
