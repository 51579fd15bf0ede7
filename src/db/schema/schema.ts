import type { Generated, Selectable } from 'kysely'
import type { Role } from '../../domain/agent/actor.ts'
import type { SessionState } from '../../domain/session/session.ts'
import type { TaskState } from '../../domain/task/task.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { AgentsTable } from './agents.ts'
import type { ArchivesTable, WorktreeFoldersTable, WorktreePortsTable, WorktreesTable } from './worktrees.ts'
import type {
  AgentRunsTable,
  CallResultsTable,
  ProgressTurnsTable,
  RequestsTable,
  RunContextsTable,
  TaskAssignmentsTable,
  TaskCommitsTable,
  WantedRulesTable,
} from './runs.ts'
import type { CostTables } from './costs.ts'
import type { Json } from './json.ts'
import type { DualMemoryTables } from './dual-memory.ts'
import type { IntegrationTables, RadarConflictsTable, IntegrationsTable } from './integrations.ts'
import type { HookDeliveriesTable, HooksTable } from './hooks.ts'
import type {
  FleetTable,
  HostCallsTable,
  SightsTable,
  HostJoinsTable,
  HostReturnsTable,
  HostsTable,
  RunTailsTable,
} from './hosts.ts'
import type { AgentMessagesTable, RunJournalsTable } from './messages.ts'
import type { ForksTable, RacersTable, RacesTable } from './races.ts'
import type { MigrationAuditTable, MigrationHistoryTable } from './migrations.ts'
import type { TasksTable, TaskStatusTable, TaskAttemptsTable, TaskLogsTable } from './tasks.ts'

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
