import { Refusal } from '../../domain/rules/refusal.ts'
import { instant } from '../../domain/words/time.ts'
import { readScripts, type Script } from '../engine/migration-scripts.ts'
import type { MigrationState } from '../engine/store.ts'
import { type Connection, tableNames } from './database.ts'
import { isBusy } from './errors.ts'

/** An applied script and the reason (seed 004: "New migration", "Script modified", …). */
interface AppliedMigration {
  readonly name: string
  readonly reason: string
}

/**
 * Applies the scripts in `folder` to the database, in name order, one transaction each (seed 004, migration strategy).
 * A script whose SHA-256 has changed is run again with a warning; a failed one is rolled back, recorded, and retried
 * next time. Refuses a database with scripts that this program does not have.
 */
export const migrate = (
  connection: Connection,
  folder: string,
  warn: (sentence: string) => void,
): readonly AppliedMigration[] => {
  const scripts = readScripts(folder)
  if (upToDate(connection, scripts)) return []
  connection.exec(bookkeeping)
  refuseNewer(history(connection), scripts)
  return scripts.flatMap((script) => apply(connection, script, warn) ?? [])
}

/** Refuses if a newer program has migrated the database meanwhile. */
export const refuseNewerThan = (connection: Connection, folder: string): void =>
  refuseNewer(history(connection), readScripts(folder))

/** Every script with its state in the history; for `db status`. */
export const migrationStatus = (connection: Connection, folder: string): readonly MigrationState[] => {
  const rows = history(connection)
  return readScripts(folder).map(({ name, hash }) => {
    const row = rows.get(name)
    if (!row) return { name, state: 'pending' }
    if (!row.success) return { name, state: 'failed' }
    return { name, state: row.script_hash === hash ? 'applied' : 'changed' }
  })
}

const upToDate = (connection: Connection, scripts: readonly Script[]): boolean => {
  const rows = history(connection)
  return rows.size === scripts.length && scripts.every(({ name, hash }) => isApplied(rows.get(name), hash))
}

const refuseNewer = (rows: ReadonlyMap<string, HistoryRow>, scripts: readonly Script[]): void => {
  const known = new Set(scripts.map((script) => script.name))
  const unknown = [...rows.keys()].filter((name) => !known.has(name)).sort()
  if (unknown.length > 0) {
    throw new Refusal(
      'database_newer',
      `The database was written by a newer aiswarm (it has ${unknown.join(', ')}). Update aiswarm, or move .aiswarm/coordination.db away to start with a new one.`,
    )
  }
}

const apply = (
  connection: Connection,
  script: Script,
  warn: (sentence: string) => void,
): AppliedMigration | undefined => {
  const began = performance.now()
  try {
    // IMMEDIATE: of two processes that migrate at once the second waits, then finds nothing left to do.
    return connection
      .transaction((): AppliedMigration | undefined => {
        const row = history(connection).get(script.name)
        if (isApplied(row, script.hash)) return undefined
        const reason = reasonFor(row)
        if (reason === 'Script modified')
          warn(`Migration ${script.name} has changed since it was applied; running it again.`)
        execute(connection, script.sql)
        record(connection, script, Math.round(performance.now() - began), true, reason)
        return { name: script.name, reason }
      })
      .immediate()
  } catch (error) {
    // A timeout while waiting for another process is not a failure of the script.
    if (isBusy(error)) throw error
    const detail = error instanceof Error ? error.message : String(error)
    connection
      .transaction(() => record(connection, script, Math.round(performance.now() - began), false, `Failed: ${detail}`))
      .immediate()
    throw new Refusal(
      'migration_failed',
      `Migration ${script.name} failed and was rolled back: ${detail}. Fix the script; aiswarm runs it again at the next start.`,
      {
        cause: error,
      },
    )
  }
}

const reasonFor = (row: HistoryRow | undefined): string => {
  if (!row) return 'New migration'
  return row.success === 1 ? 'Script modified' : 'Retried after failure'
}

/** Seed 004's history tables; 001 contains them too, but a failure of 001 must be recordable. */
const bookkeeping = `
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

interface HistoryRow {
  readonly migration_name: string
  readonly script_hash: string
  readonly success: number
}

const history = (connection: Connection): ReadonlyMap<string, HistoryRow> => {
  if (!tableNames(connection).includes('migration_history')) return new Map()
  const rows = connection
    .prepare<[], HistoryRow>('SELECT migration_name, script_hash, success FROM migration_history')
    .all()
  return new Map(rows.map((row) => [row.migration_name, row]))
}

const isApplied = (row: HistoryRow | undefined, hash: string): boolean => row?.success === 1 && row.script_hash === hash

/** Updates the single row of each name; its previous values go to migration_audit. */
const record = (connection: Connection, script: Script, took: number, success: boolean, reason: string): void => {
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

/** `ALTER TABLE t ADD COLUMN IF NOT EXISTS c …;` on a separate line: PostgreSQL's form, which SQLite lacks. */
const columnLine = /^ALTER TABLE (\w+) ADD COLUMN IF NOT EXISTS (\w+) ([^;\n]+);$/gm

/** Runs a script and skips columns that already exist. */
export const execute = (connection: Connection, sql: string): void => {
  let done = 0
  for (const { 0: line, 1: table, 2: column, 3: type, index } of sql.matchAll(columnLine)) {
    connection.exec(sql.slice(done, index))
    const present =
      connection.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined
    if (!present) connection.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type};`)
    done = index + line.length
  }
  connection.exec(sql.slice(done))
}
