import type { Generated, Insertable, Selectable } from 'kysely'
import type { Role } from '../../domain/agent/actor.ts'
import type { SessionState } from '../../domain/session/session.ts'
import type { HookEvent } from '../../domain/settings/hooks.ts'
import type { TaskState } from '../../domain/task/task.ts'
import type { Instant } from '../../domain/words/time.ts'
import type {
  AgentMessagesTable,
  AgentRunsTable,
  AgentsTable,
  CallResultsTable,
  CostTables,
  RequestsTable,
  RunContextsTable,
  RunJournalsTable,
  WantedRulesTable,
} from './agents.ts'
import type { Json } from './columns.ts'
import type {
  FleetTable,
  HostCallsTable,
  HostJoinsTable,
  HostReturnsTable,
  HostsTable,
  RunTailsTable,
  SightsTable,
} from './hosts.ts'
import type { DualMemoryTables } from './memory.ts'
import type {
  ForksTable,
  ProgressTurnsTable,
  RacersTable,
  RacesTable,
  TaskAssignmentsTable,
  TaskAttemptsTable,
  TaskCommitsTable,
  TaskLogsTable,
  TasksTable,
  TaskStatusTable,
} from './tasks.ts'
import type {
  ArchivesTable,
  IntegrationsTable,
  IntegrationTables,
  RadarConflictsTable,
  WorktreeFoldersTable,
  WorktreePortsTable,
  WorktreesTable,
} from './worktrees.ts'

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
  wanted_rules: WantedRulesTable
  call_results: CallResultsTable
  task_commits: TaskCommitsTable
  task_assignments: TaskAssignmentsTable
  progress_turns: ProgressTurnsTable
  radar_conflicts: RadarConflictsTable
  hosts: HostsTable
  host_joins: HostJoinsTable
  fleet: FleetTable
  host_returns: HostReturnsTable
  host_calls: HostCallsTable
  sights: SightsTable
  run_tails: RunTailsTable
  hooks: HooksTable
  hook_deliveries: HookDeliveriesTable
  worktree_folders: WorktreeFoldersTable
  worktree_ports: WorktreePortsTable
  archives: ArchivesTable
  agent_messages: AgentMessagesTable
  run_journals: RunJournalsTable
  races: RacesTable
  racers: RacersTable
  forks: ForksTable
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

export type EventRow = Selectable<EventsTable>
export type PersonaRow = Selectable<PersonasTable>
export type SessionRow = Selectable<SessionsTable>
export type LeaseRow = Selectable<LeasesTable>

// The columns of migrations/003_Hooks.sql.

interface HooksTable {
  key: string
  event: HookEvent
  after_event: number
  seen_at: Instant
}

interface HookDeliveriesTable {
  id: string
  hook: string
  event_id: number
  task_id: number | null
  worktree: string | null
  payload: string
  planned_at: Instant
  tries: Generated<number>
  next_try_at: Instant | null
  last_error: string | null
  delivered_at: Instant | null
  given_up_at: Instant | null
}

export type HookRow = Selectable<HooksTable>
export type HookDeliveryRow = Selectable<HookDeliveriesTable>
export type NewHookDelivery = Insertable<HookDeliveriesTable>

// Seed 004's history of migrations.

interface MigrationHistoryTable {
  id: Generated<number>
  migration_name: string
  script_hash: string
  applied_at: string
  execution_time_ms: number
  success: number
  reason: string | null
}

interface MigrationAuditTable extends Omit<MigrationHistoryTable, 'id'> {
  id: Generated<number>
  replaced_at: Instant
}
