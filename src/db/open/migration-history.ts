import { instant } from '../../domain/words/time.ts'
import { type Connection, tableNames } from '../engine/sqlite.ts'
import type { Script } from './migration-scripts.ts'

/** Seed 004's history tables; 001 contains them too, but a failure of 001 must be recordable. */
export const bookkeeping = `
CREATE TABLE IF NOT EXISTS migration_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    migration_name TEXT NOT NULL UNIQUE,
    script_hash TEXT NOT NULL,
    applied_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    execution_time_ms INTEGER NOT NULL,
    success BOOLEAN NOT NULL DEFAULT 1,
    reason TEXT
);
CREATE TABLE IF NOT EXISTS migration_audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    migration_name TEXT NOT NULL,
    script_hash TEXT NOT NULL,
    applied_at DATETIME NOT NULL,
    execution_time_ms INTEGER NOT NULL,
    success BOOLEAN NOT NULL,
    reason TEXT,
    replaced_at TEXT NOT NULL
);`

export interface HistoryRow {
  readonly migration_name: string
  readonly script_hash: string
  readonly success: number
}

export const history = (connection: Connection): ReadonlyMap<string, HistoryRow> => {
  if (!tableNames(connection).includes('migration_history')) return new Map()
  const rows = connection
    .prepare<[], HistoryRow>('SELECT migration_name, script_hash, success FROM migration_history')
    .all()
  return new Map(rows.map((row) => [row.migration_name, row]))
}

export const isApplied = (row: HistoryRow | undefined, hash: string): boolean =>
  row?.success === 1 && row.script_hash === hash

/** Updates the single row of each name; its previous values go to migration_audit. */
export const record = (
  connection: Connection,
  script: Script,
  took: number,
  success: boolean,
  reason: string,
): void => {
  connection
    .prepare(
      `INSERT INTO migration_audit (migration_name, script_hash, applied_at, execution_time_ms, success, reason, replaced_at)
       SELECT migration_name, script_hash, applied_at, execution_time_ms, success, reason, ? FROM migration_history WHERE migration_name = ?`,
    )
    .run(instant(Date.now()), script.name)
  connection
    .prepare(
      `INSERT INTO migration_history (migration_name, script_hash, applied_at, execution_time_ms, success, reason) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (migration_name) DO UPDATE SET script_hash = excluded.script_hash, applied_at = excluded.applied_at,
         execution_time_ms = excluded.execution_time_ms, success = excluded.success, reason = excluded.reason`,
    )
    .run(script.name, script.hash, instant(Date.now()), took, success ? 1 : 0, reason)
}
