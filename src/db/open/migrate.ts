import { Refusal } from '../../domain/rules/refusal.ts'
import { type Connection, isBusy } from '../engine/sqlite.ts'
import type { MigrationState } from '../engine/store.ts'
import { type Script, readScripts, execute } from './migration-scripts.ts'
import { bookkeeping, type HistoryRow, history, isApplied, record } from './migration-history.ts'

/** An applied script and the reason (seed 004: "New migration", "Script modified", …). */
export interface AppliedMigration {
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
