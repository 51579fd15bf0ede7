import type { Generated, Insertable, Selectable } from 'kysely'
import type { TaskState } from '../../domain/task/task.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { Json } from './columns.ts'

export interface TasksTable {
  id: Generated<number>
  title: string
  description: string
  persona_id: string
  context_ref: string | null
  priority: number
  target_worktree: string | null
  parent_task_id: number | null
  command: string | null
  session_id: string | null
  created_by: string | null
  created_at: Instant
  metadata: Json | null
  /** The agent kind that the metadata names (`cli`, seed 000); null for none. */
  cli: string | null
}

export interface TaskStatusTable {
  task_id: number
  status: TaskState
  assigned_agent_id: string | null
  claimed_at: Instant | null
  started_at: Instant | null
  completed_at: Instant | null
  lease_expires_at: Instant | null
  result_data: Json | null
  error_message: string | null
  retry_count: Generated<number>
  attempt: Generated<number>
  not_before: Instant | null
  progress_percent: number | null
  progressed_at: Instant | null
  artifacts: Json | null
  command_allowed: Generated<number>
  changed_at: Instant
}

export type AttemptOutcome =
  'completed' | 'failed' | 'cancelled' | 'lost' | 'terminated' | 'not_started' | 'unavailable'

export interface TaskAttemptsTable {
  task_id: number
  attempt: number
  agent_id: string
  claimed_at: Instant
  started_at: Instant | null
  ended_at: Instant | null
  outcome: AttemptOutcome | null
  error: string | null
  tokens_in: number | null
  tokens_out: number | null
  cost_usd: number | null
  commits_recorded: Generated<number>
}

type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface TaskLogsTable {
  id: Generated<number>
  task_id: number
  agent_id: string
  level: LogLevel
  message: string
  attempt: number | null
  percent: number | null
  logged_at: Instant
}

export type AttemptRow = Selectable<TaskAttemptsTable>
export type TaskLogRow = Selectable<TaskLogsTable>
export type TaskStatusRow = Selectable<TaskStatusTable>
export type NewTask = Insertable<TasksTable>
export type NewTaskLog = Insertable<TaskLogsTable>

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

export type CommitRow = Selectable<TaskCommitsTable>

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

/** The columns of migrations/043_Races.sql. */
export interface RacesTable {
  id: Generated<number>
  task_id: number
  started_by: string
  started_at: Instant
  ended_at: Instant | null
  picked: number | null
}

export interface RacersTable {
  race_id: number
  position: number
  task_id: number
  worktree: string
  kind: string
  model: string | null
}

/** The columns of migrations/045_Forks.sql. */
export interface ForksTable {
  task_id: number
  agent_id: string
  kind: string
  session: string
  /** The usage of that session when it was copied. */
  tokens_in: number
  tokens_out: number
  tokens_cached: number
}

export type ForkRow = Selectable<ForksTable>
export type RaceRow = Selectable<RacesTable>
export type RacerRow = Selectable<RacersTable>
