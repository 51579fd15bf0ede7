import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../../domain/words/time.ts'
import type { PortPurpose } from '../../domain/worktree/worktree.ts'
import type { Json } from './json.ts'

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
  port: number
  worktree: string
  purpose: PortPurpose
  served: Generated<number>
  leased_at: Instant
}

export type ArchiveRow = Selectable<ArchivesTable>
export type PortRow = Selectable<WorktreePortsTable>
