import type { AgentState } from '../agent/agent.ts'
import type { IntegrationState } from '../integration/integration.ts'
import type { TaskState } from '../task/task.ts'
import type { Instant } from '../words/time.ts'

// The known facts about a past moment.

/** An event from `list_events`. */
export interface PastEvent {
  readonly id: number
  readonly at: Instant
  readonly actor: string
  readonly operation: string
  readonly taskId: number | null
  readonly agentId: string | null
  readonly worktree: string | null
  readonly details: unknown
}

export interface PastTask {
  readonly status: TaskState | 'unknown'
  readonly since: Instant
  readonly agent: string | null
  readonly percent: number | null
  /** For a pending task that waits for its retry: until when. */
  readonly until: Instant | null
}

export interface PastAgent {
  /** `paused` over its budget. */
  readonly state: AgentState | 'stopping' | 'broken' | 'paused'
  readonly kind: string | null
  readonly pid: number | null
  readonly task: number | null
  readonly exitCode: number | null
  /** True if it was created for one task and ends with its run. */
  readonly once: boolean
  /** True from the request for its process to the end of the process. */
  readonly process: boolean
  /** The task that its process was started for. */
  readonly runsFor: number | null
  /** The worktree that it is assigned to. */
  readonly worktree: string | null
  readonly since: Instant
}

export interface PastWorktree {
  readonly state: IntegrationState | 'building' | 'active' | 'discarded' | 'unknown'
  readonly target: string | null
  /** The state of its last integration, or null. */
  readonly integration: IntegrationState | null
  readonly verified: boolean
  readonly gone: boolean
  readonly since: Instant
}

/** A permission or an answer that an agent waits for. */
export interface PastRequest {
  readonly agent: string
  readonly task: number | null
  readonly since: Instant
}

export interface Past {
  /** The open requests, by their numbers. */
  readonly requests: ReadonlyMap<number, PastRequest>
  readonly tasks: ReadonlyMap<number, PastTask>
  readonly agents: ReadonlyMap<string, PastAgent>
  readonly worktrees: ReadonlyMap<string, PastWorktree>
  readonly session: { readonly id: string; readonly status: string; readonly paused: boolean } | null
}

export const nothingYet: Past = {
  requests: new Map(),
  tasks: new Map(),
  agents: new Map(),
  worktrees: new Map(),
  session: null,
}
