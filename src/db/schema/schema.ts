import type { Generated, Insertable, Selectable } from 'kysely'
import type { IntegrationState } from '../../domain/integration/integration.ts'
import type { Role } from '../../domain/agent/actor.ts'
import type { SessionState } from '../../domain/session/session.ts'
import type { TaskState } from '../../domain/task/task.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { FolderState, WorktreeState } from '../../domain/worktree/worktree.ts'
import type { AgentsTable } from './agents.ts'
import type { ArchivesTable, WorktreeFoldersTable, WorktreePortsTable } from './worktrees.ts'
import type { AgentRunsTable, CallResultsTable, ProgressTurnsTable, RequestsTable, RunContextsTable, TaskAssignmentsTable, TaskCommitsTable } from './runs.ts'
import type { CostTables } from './costs.ts'
import type { Json } from './json.ts'
import type { DualMemoryTables } from './dual-memory.ts'
import type { IntegrationTables, RadarConflictsTable } from './integrations.ts'
import type { HookDeliveriesTable, HooksTable } from './hooks.ts'
import type { MigrationAuditTable, MigrationHistoryTable } from './migrations.ts'

/** The columns of migrations/, one interface per table. */
export interface Schema extends CostTables, DualMemoryTables, IntegrationTables {
  personas: PersonasTable
  tasks: TasksTable
  task_status: TaskStatusTable
  task_counts: { status: TaskState; tasks: number }
  /** Pending tasks, maintained by triggers. */
  task_queue: { priority: number; task_id: number }
  task_dependencies: { task_id: number; depends_on: number }
  missing_artifacts: { task_id: number; path: string }
  task_criteria: { task_id: number; position: number; text: string; met: number }
  task_attempts: TaskAttemptsTable
  task_logs: TaskLogsTable
  agents: AgentsTable
  worktrees: WorktreesTable
  integrations: IntegrationsTable
  sessions: SessionsTable
  events: EventsTable
  event_chain: EventChainTable
  leases: LeasesTable
  deadlines: DeadlinesTable
  agent_runs: AgentRunsTable
  run_contexts: RunContextsTable
  requests: RequestsTable
  call_results: CallResultsTable
  task_commits: TaskCommitsTable
  task_assignments: TaskAssignmentsTable
  progress_turns: ProgressTurnsTable
  radar_conflicts: RadarConflictsTable
  hooks: HooksTable
  hook_deliveries: HookDeliveriesTable
  worktree_folders: WorktreeFoldersTable
  worktree_ports: WorktreePortsTable
  archives: ArchivesTable
  migration_history: MigrationHistoryTable
  migration_audit: MigrationAuditTable
}

interface PersonasTable {
  id: string
  name: string
  role: Role
  definition: string
  source: 'built-in' | 'file' | 'set'
  source_hash: string | null
  created_at: Instant
  updated_at: Instant
}

interface TasksTable {
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
}

interface TaskStatusTable {
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

export type AttemptOutcome = 'completed' | 'failed' | 'cancelled' | 'lost' | 'terminated' | 'not_started' | 'unavailable'

interface TaskAttemptsTable {
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

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

interface TaskLogsTable {
  id: Generated<number>
  task_id: number
  agent_id: string
  level: LogLevel
  message: string
  attempt: number | null
  percent: number | null
  logged_at: Instant
}

interface WorktreesTable {
  name: string
  branch_name: string
  source_branch: string
  created_by: string
  created_at: Instant
  status: WorktreeState
  integration_target: string | null
  path: string
  folder: FolderState
  base_oid: string | null
  discard_reason: string | null
  archive_ref: string | null
  trash_path: string | null
  ended_at: Instant | null
}

interface IntegrationsTable {
  id: Generated<number>
  worktree: string
  target: string
  status: IntegrationState
  approval: 'human' | 'auto'
  requested_by: string
  requested_at: Instant
  target_oid: string | null
  branch_oid: string | null
  merge_oid: string | null
  conflicts: Json | null
  verification: Json | null
  approved_by: string | null
  approved_at: Instant | null
  problem: string | null
  ended_at: Instant | null
}

interface SessionsTable {
  id: string
  goal: string | null
  status: SessionState
  started_at: Instant
  ended_at: Instant | null
  paused_at: Instant | null
  summary: Json | null
  metadata: Json | null
}

interface EventsTable {
  id: Generated<number>
  at: Instant
  actor: string
  operation: string
  task_id: number | null
  agent_id: string | null
  worktree: string | null
  details: Json | null
}

interface LeasesTable {
  name: string
  holder: string
  holder_pid: number
  term: number
  acquired_at: Instant
  expires_at: Instant
}

export type DeadlineSubject = 'task' | 'agent' | 'request' | 'role'

export interface DeadlinesTable {
  subject: DeadlineSubject
  id: string
  boot: string
  ends_ms: number
}

export interface EventChainTable {
  event_id: number
  hash: string
}

export type AttemptRow = Selectable<TaskAttemptsTable>
export type EventRow = Selectable<EventsTable>
export type IntegrationRow = Selectable<IntegrationsTable>
export type PersonaRow = Selectable<PersonasTable>
export type SessionRow = Selectable<SessionsTable>
export type TaskLogRow = Selectable<TaskLogsTable>
export type TaskStatusRow = Selectable<TaskStatusTable>
export type WorktreeRow = Selectable<WorktreesTable>
export type LeaseRow = Selectable<LeasesTable>
export type NewTask = Insertable<TasksTable>
export type NewTaskLog = Insertable<TaskLogsTable>
export type NewWorktree = Insertable<WorktreesTable>
