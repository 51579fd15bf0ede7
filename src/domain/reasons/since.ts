import type { FolderState, WorktreeState } from '../worktree.ts'
import type { AgentState } from '../agent.ts'
import type { IntegrationState } from '../integration.ts'
import type { TaskState } from '../task.ts'
import { enteredAt } from '../task-filter.ts'
import type { Instant } from '../time.ts'

// Since when something is in its state, as far as its row tells.

export interface TaskTimes {
  readonly status: TaskState
  readonly changedAt: Instant
  /** When the last of what it waited for was completed; null while it waits, and where it waits for nothing. */
  readonly unblockedAt: Instant | null
  readonly notBefore: Instant | null
  readonly claimedAt: Instant | null
  readonly startedAt: Instant | null
  readonly completedAt: Instant | null
}

export const taskSince = (task: TaskTimes, now: Instant): Instant => (task.status === 'pending' ? pendingSince(task, now) : (task[enteredAt[task.status]] ?? task.changedAt))

/** Blocked, waiting for a retry and ready are all pending: whatever came last has made it what it is. */
const pendingSince = ({ changedAt, unblockedAt, notBefore }: TaskTimes, now: Instant): Instant => {
  const ready = [unblockedAt, notBefore !== null && notBefore <= now ? notBefore : null]
  return ready.reduce<Instant>((latest, at) => (at !== null && at > latest ? at : latest), changedAt)
}

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
