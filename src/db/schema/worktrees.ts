import type { Generated, Insertable, Selectable } from 'kysely'
import type { IntegrationState } from '../../domain/integration/integration.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { FolderState, PortPurpose, WorktreeState } from '../../domain/worktree/worktree.ts'
import type { Json } from './columns.ts'

// The tables of worktrees and of their integrations, and those of the repository that is integrated into.

export interface WorktreesTable {
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
  /** The host where its folder lies (migrations/041_Hosts.sql). */
  host_id: Generated<string>
  /** The commit of its branch on the remote, and when that was last all of it (migrations/043_CodeExchange.sql). */
  pushed_oid: Generated<string | null>
  pushed_at: Generated<Instant | null>
  /** The worktree that continues it on another host, and the one that it continues (migrations/050_LostHosts.sql). */
  successor: Generated<string | null>
  continues: Generated<string | null>
  /** The last snapshot of its uncommitted work on the remote, and when it was taken (migrations/052_FleetLife.sql). */
  wip_oid: Generated<string | null>
  wip_at: Generated<Instant | null>
  /** The host to which a person wants it moved, and why the last move was not made. */
  move_to: Generated<string | null>
  move_problem: Generated<string | null>
  /** The labels that its host must have (migrations/067_WorktreeLabels.sql). */
  labels: Generated<Json>
  /** The hosts that could not continue it, each with the time and the reason (migrations/070_UnbuiltSuccessors.sql). */
  not_continued: Generated<Json>
}

/** The columns of migrations/008_Archive.sql. */
export interface ArchivesTable {
  ref: string
  worktree: string
  tar: string | null
  trash_path: string | null
  made_at: Instant
  census: Json | null
  swept_at: Instant | null
  restore_wanted_at: Instant | null
  restore_branch: string | null
  restored_at: Instant | null
}

/** The columns of migrations/030_WorktreeFolders.sql. */
export interface WorktreeFoldersTable {
  worktree: string
  inode: string
}

/** The columns of migrations/010_WorktreeReadiness.sql. */
export interface WorktreePortsTable {
  /** The host that leased it: that of the worktree, or the one that verifies its merge. */
  host_id: Generated<string>
  port: number
  worktree: string
  purpose: PortPurpose
  served: Generated<number>
  leased_at: Instant
}

export type ArchiveRow = Selectable<ArchivesTable>
export type PortRow = Selectable<WorktreePortsTable>
export type WorktreeRow = Selectable<WorktreesTable>
export type NewWorktree = Insertable<WorktreesTable>

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

export type IntegrationRow = Selectable<IntegrationsTable>

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

interface HostGuardsTable extends GuardColumns {
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
interface WatchedTables {
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
