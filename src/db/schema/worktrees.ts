import type { Generated, Selectable, Insertable } from 'kysely'
import type { Instant } from '../../domain/words/time.ts'
import type { PortPurpose, FolderState, WorktreeState } from '../../domain/worktree/worktree.ts'
import type { Json } from './json.ts'

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
