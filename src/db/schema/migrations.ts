import type { Generated } from 'kysely'
import type { Instant } from '../../domain/words/time.ts'

// Seed 004's history of migrations.

export interface MigrationHistoryTable {
  id: Generated<number>
  migration_name: string
  script_hash: string
  applied_at: string
  execution_time_ms: number
  success: number
  reason: string | null
}

export interface MigrationAuditTable extends Omit<MigrationHistoryTable, 'id'> {
  id: Generated<number>
  replaced_at: Instant
}
