import type { ColumnType, Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { AgentState, ProcessState } from '../../domain/agent/agent.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { Json } from './json.ts'

// The columns of `agents` in migrations/001_InitialSchema.sql and 027_AgentFolders.sql.

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
