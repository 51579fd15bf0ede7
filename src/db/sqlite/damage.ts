import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Db } from '../engine/db.ts'
import { findBrokenSeals } from '../events.ts'
import { type Connection, lastNumber } from './database.ts'
import { damaged, isDamage, sqliteCode } from './errors.ts'
import { identityOf, WAL } from './files.ts'

// Damage found by one process counts for all: a file beside the database names the damaged file by its inode, so that a
// replaced database is not affected.

/** The reason why nothing may be written; undefined if no damage is known. */
export const knownDamage = (path: string): Refusal | undefined => {
  try {
    return readFileSync(markOf(path), 'utf8').split('\n')[0] === identityOf(path) ? damaged(path) : undefined
  } catch {
    return undefined
  }
}

/** Records that the database is damaged. In a folder without write permission only this process remembers it. */
export const rememberDamage = (path: string, finding: string): void => {
  try {
    writeFileSync(markOf(path), `${identityOf(path)}\n${finding}\n`, { mode: 0o600 })
  } catch {
    // The database is in the same folder, so nothing can be written to it either.
  }
}

const markOf = (path: string): string => `${path}.damaged`

/**
 * All findings of SQLite's own checks; a check that fails because of damage is a finding itself. A sound database loses
 * its mark.
 */
export const checkDamage = (path: string, connection: Connection): readonly string[] => {
  const findings = surviving(() => findDamage(connection))
  if (findings.length > 0) rememberDamage(path, findings[0]!)
  else rmSync(markOf(path), { force: true })
  return findings
}

/** Events that were changed. Work continues, so that changing an event cannot stop the board. */
export const checkSeals = async (db: Db, connection: Connection): Promise<readonly string[]> => {
  try {
    return await findBrokenSeals(db, lastNumber(connection, 'events'))
  } catch (error) {
    return [damageIn(error)]
  }
}

/** Checks for damage if the last process did not close the database, unless the database is too large to wait for. */
export const checkAfterUncleanEnd = (path: string, connection: Connection, unclean: boolean): void => {
  if (!unclean) return
  const [finding] = surviving(() => quickCheck(connection, PAGES_CHECKED))
  if (finding !== undefined) rememberDamage(path, finding)
}

/** The most pages of a database that are checked after an unclean end (100 MB; 0.3 s). */
const PAGES_CHECKED = 25_000

/** True if a write-ahead log exists and no process has the database open; false if the system does not tell. */
export const wasLeftOpen = (path: string): boolean => {
  if ((statSync(path + WAL, { throwIfNoEntry: false })?.size ?? 0) === 0 || !existsSync('/proc/locks')) return false
  const { ino } = statSync(path)
  return !readFileSync('/proc/locks', 'utf8').includes(`:${ino} `)
}

const surviving = (check: () => readonly string[]): readonly string[] => {
  try {
    return check()
  } catch (error) {
    return [damageIn(error)]
  }
}

/** The damage that an error reports; any other error is thrown. */
const damageIn = (error: unknown): string => {
  const cause = error instanceof Refusal && error.cause !== undefined ? error.cause : error
  if (!isDamage(cause)) throw error
  return `${sqliteCode(cause)}: ${(cause as Error).message}`
}

/** Findings of SQLite's own checks, empty if the database is sound. */
export const findDamage = (connection: Connection): readonly string[] => {
  const integrity = (connection.pragma('integrity_check') as { integrity_check: string }[]).map(
    (row) => row.integrity_check,
  )
  const foreign = (
    connection.pragma('foreign_key_check') as { table: string; rowid: number | null; parent: string }[]
  ).map((row) => `${row.table} row ${row.rowid ?? '?'} refers to a missing row of ${row.parent}`)
  return [...integrity.filter((line) => line !== 'ok'), ...foreign]
}

/** As `findDamage`, without comparing indexes with rows, and only for a database of at most so many pages. */
const quickCheck = (connection: Connection, pages: number): readonly string[] => {
  if ((connection.pragma('page_count', { simple: true }) as number) > pages) return []
  return (connection.pragma('quick_check(1)') as { quick_check: string }[])
    .map((row) => row.quick_check)
    .filter((line) => line !== 'ok')
}
