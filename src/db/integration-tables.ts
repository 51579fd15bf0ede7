import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../domain/time.ts'

// The columns of migrations/007_Integration.sql.

export interface IntegrationTables {
  repository_guard: RepositoryGuardTable
  verifications: VerificationsTable
  worktree_reverts: { worktree: string; integration_id: number }
}

interface RepositoryGuardTable {
  id: number
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

export type RepositoryGuardRow = Selectable<RepositoryGuardTable>
export type VerificationRow = Selectable<VerificationsTable>
