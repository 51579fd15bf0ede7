import type { ColumnType, Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { AgentState, ProcessState } from '../../domain/agent/agent.ts'
import type { AuthorKind, Delivery, MessageKind, MessageState } from '../../domain/agent/messages.ts'
import type { RequestKind, RequestState } from '../../domain/request/request.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { BudgetColumns, Json, TokenColumns, UsageColumns, UsageScope } from './columns.ts'

// The tables of agents, their runs and what these cost, their requests, and the messages to them.

export interface AgentsTable {
  id: string
  persona_id: string
  kind: string
  assigned_worktree: string | null
  parent_agent_id: string | null
  registered_at: Instant
  last_heartbeat: Instant
  status: AgentState
  token_hash: string | null
  process: ProcessState
  run: number
  task_id: number | null
  once: number
  process_id: number | null
  process_started_at: string | null
  boot_id: string | null
  exit_code: number | null
  launch_error: string | null
  environment: Json | null
  stop_requested_at: Instant | null
  stop_reason: string | null
  ended_at: Instant | null
  usage: Json | null
  metadata: Json | null
  /** The path of the assigned worktree, maintained by triggers. */
  worktree_path: ColumnType<string | null, never, never>
  /** The host of its process (migrations/041_Hosts.sql). */
  host_id: Generated<string>
  /** The last run that its host has taken, before it starts anything. */
  taken_run: number | null
}

export type AgentRow = Selectable<AgentsTable>
export type NewAgent = Insertable<AgentsTable>
export type AgentChange = Omit<Updateable<AgentsTable>, 'id'>

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

export type AgentRunRow = Selectable<AgentRunsTable>

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

export type RequestRow = Selectable<RequestsTable>
export type NewRequest = Insertable<RequestsTable>

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

/** The columns of migrations/006_ContextHealth.sql. */
export interface RunContextsTable {
  agent_id: string
  run: number
  tokens: number
  context_window: number
  estimated: number
}

// The tables that migrations/012_Costs.sql, 014_Prices.sql and 017_UsageSteps.sql add.

export interface CostTables {
  run_sessions: { agent_id: string; run: number; session_id: string }
  usage_totals: Omit<UsageColumns, 'tokens_unpriced'> & { scope: UsageScope; subject: string }
  usage_steps: TokenColumns & { agent_id: string; run: number; at: number }
  unpriced_totals: { scope: UsageScope; subject: string; tokens: number }
  task_budgets: BudgetColumns & { task_id: number }
  session_budgets: BudgetColumns & { session_id: string }
  run_pauses: { agent_id: string; run: number; paused_at: Instant }
  /** Since migrations/065_AccountSleeps.sql for each account: the id of a host, or a name that several hosts share. */
  kind_sleeps: { kind: string; account: string; until: Instant; since: Instant; agent_id: string; why: string }
}

/** The columns of migrations/031_Messages.sql and 042_Mail.sql. */
export interface AgentMessagesTable {
  id: Generated<number>
  kind: MessageKind
  agent_id: string
  task_id: number | null
  author: string
  author_kind: AuthorKind
  body: string
  delivery: Delivery
  status: Generated<MessageState>
  run_of: string | null
  run: number | null
  reason: string | null
  said_at: Instant
  handed_over_at: Instant | null
  ended_at: Instant | null
  /** The address of mail between agents; null for a message that a person or a planner says to an agent. */
  sent_to: Generated<string | null>
}

export interface RunJournalsTable {
  agent_id: string
  run: number
}

export type MessageRow = Selectable<AgentMessagesTable>
export type NewMessage = Insertable<AgentMessagesTable>
