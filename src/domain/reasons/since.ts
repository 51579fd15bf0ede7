import type { FolderState, WorktreeState } from '../worktree.ts'
import type { AgentState } from '../agent.ts'
import type { IntegrationState } from '../integration.ts'
import type { TaskState } from '../task.ts'
import type { Instant } from '../time.ts'

// Since when something is in its state, as far as its row tells.

export interface TaskTimes {
  readonly status: TaskState
  readonly changedAt: Instant
  readonly claimedAt: Instant | null
  readonly startedAt: Instant | null
  readonly completedAt: Instant | null
}

export const taskSince = ({ status, changedAt, claimedAt, startedAt, completedAt }: TaskTimes): Instant =>
  ({ pending: null, claimed: claimedAt, in_progress: startedAt, completed: completedAt, failed: completedAt, cancelled: completedAt })[status] ?? changedAt

export interface AgentTimes {
  readonly status: AgentState
  readonly registeredAt: Instant
  readonly lastHeartbeat: Instant
  readonly stopRequestedAt: Instant | null
  readonly endedAt: Instant | null
}

/** `busySince`: since when it has its task. An agent without one has been so for as long as it is known: its last task ended at `freeSince`. */
export const agentSince = (agent: AgentTimes, busySince: Instant | null, freeSince: Instant | null = null): Instant => {
  if (agent.status === 'terminated') return agent.endedAt ?? agent.lastHeartbeat
  if (agent.stopRequestedAt !== null) return agent.stopRequestedAt
  if (agent.status === 'offline') return agent.lastHeartbeat
  return busySince ?? freeSince ?? agent.registeredAt
}

export interface WorktreeTimes {
  readonly status: WorktreeState
  readonly folder: FolderState
  readonly createdAt: Instant
  readonly integration: {
    readonly status: IntegrationState
    readonly requestedAt: Instant
    readonly approvedAt: Instant | null
    readonly endedAt: Instant | null
    readonly verification: { readonly endedAt: Instant } | null
  } | null
}

export const worktreeSince = ({ integration, createdAt }: WorktreeTimes): Instant =>
  integration === null ? createdAt : (integration.endedAt ?? integration.approvedAt ?? integration.verification?.endedAt ?? integration.requestedAt)
