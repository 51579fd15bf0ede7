import type { Generated, Insertable, Selectable } from 'kysely'
import type { RequestKind, RequestState } from '../../domain/request/request.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { Json } from './json.ts'

// The columns that migrations/002_AgentRuns.sql adds.

export interface AgentRunsTable {
  agent_id: string
  run: number
  task_id: number | null
  attempt: number | null
  kind: string
  model: string | null
  cli_session: string | null
  resumed: Generated<number>
  output_offset: Generated<number>
  started_at: Instant
  ended_at: Instant | null
  exit_code: number | null
  tokens_in: Generated<number>
  tokens_out: Generated<number>
  tokens_cached: Generated<number>
  cost_usd: number | null
  said: string | null
  problem: string | null
  /** Why the kernel did not confine its program (migrations/044_Confinement.sql). */
  unconfined: Generated<string | null>
}

export interface RequestsTable {
  id: Generated<number>
  kind: RequestKind
  agent_id: string
  task_id: number | null
  attempt: number | null
  status: Generated<RequestState>
  tool: string | null
  subject: string
  input: Json | null
  options: Json | null
  rule: string | null
  asked_at: Instant
  expires_at: Instant | null
  answer: string | null
  answered_by: string | null
  answered_at: Instant | null
  told_at: Instant | null
}

/** Answers whose rule is not in the configuration yet (migrations/063_WantedRules.sql). */
export interface WantedRulesTable {
  request_id: number
}

export interface CallResultsTable {
  actor: string
  request_id: string
  operation: string
  input_hash: string
  result: Json
  at: Instant
}

export interface TaskCommitsTable {
  task_id: number
  attempt: number
  oid: string
  position: number
  branch: string
  author: string
  committed_at: Instant
  subject: string
}

export interface TaskAssignmentsTable {
  task_id: number
  agent_id: string | null
  folder: string | null
  max_retries: number | null
}

export interface ProgressTurnsTable {
  task_id: number
  attempt: number
  hash: string
}

/** The columns of migrations/006_ContextHealth.sql. */
export interface RunContextsTable {
  agent_id: string
  run: number
  tokens: number
  context_window: number
  estimated: number
}

export type AgentRunRow = Selectable<AgentRunsTable>
export type CommitRow = Selectable<TaskCommitsTable>
export type RequestRow = Selectable<RequestsTable>
export type NewRequest = Insertable<RequestsTable>
