import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../../domain/words/time.ts'
import type { Json } from './json.ts'
import type { IntegrationState } from '../../domain/integration/integration.ts'

export interface IntegrationsTable {
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

// The columns of migrations/007_Integration.sql, and with them those of what is watched.

export interface IntegrationTables extends WatchedTables {
  repository_guard: RepositoryGuardTable
  host_guards: HostGuardsTable
  verifications: VerificationsTable
  worktree_reverts: { worktree: string; integration_id: number }
}

/** The guard of the main checkout; that of another host's clone is alike (migrations/064_HostFacts.sql). */
interface RepositoryGuardTable extends GuardColumns {
  id: number
}

export interface HostGuardsTable extends GuardColumns {
  host_id: string
}

interface GuardColumns {
  hash: string
  entries: string
  accepted_by: string
  accepted_at: Instant
  changed_hash: string | null
  changed_entries: string | null
  changes: string | null
  changed_at: Instant | null
}

interface VerificationsTable {
  id: Generated<number>
  commit_oid: string
  integrations: string
  command: string
  log: string
  started_at: Instant
  ended_at: Instant | null
  exit_code: number | null
}

/** The columns of migrations/020_WatchedTargets.sql and migrations/021_WatchedCheckout.sql. */
export interface WatchedTables {
  watched_targets: WatchedTargetsTable
  watched_checkout: WatchedCheckoutTable
}

interface WatchedTargetsTable {
  target: string
  known_oid: string | null
  seen_oid: string | null
  moved_oid: string | null
  moved_at: Instant | null
  commits: string | null
  agents: string | null
  put_back_at: Instant | null
  problem: string | null
}

interface WatchedCheckoutTable {
  id: number
  files: string
  looked_at: Instant
  changes: string | null
  agents: string | null
  changed_at: Instant | null
}

/** The columns of migrations/009_ConflictRadar.sql. */
export interface RadarConflictsTable {
  worktree: string
  other: string
  with_target: number
  worktree_tree: string
  other_tree: string
  files: Json
  uncommitted: number
  began_at: Instant
  told: number
  resolved_at: Instant | null
}

export type RepositoryGuardRow = Selectable<RepositoryGuardTable>
export type HostGuardRow = Selectable<HostGuardsTable>
export type VerificationRow = Selectable<VerificationsTable>
export type WatchedTargetRow = Selectable<WatchedTargetsTable>
export type WatchedCheckoutRow = Selectable<WatchedCheckoutTable>
export type RadarConflictRow = Selectable<RadarConflictsTable>
export type IntegrationRow = Selectable<IntegrationsTable>
