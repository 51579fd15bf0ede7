import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type Refusal } from '../domain/refusal.ts'
import { findBrokenSeals } from './event-chain.ts'
import { damaged, isDamage } from './explain.ts'
import { identityOf, WAL } from './open-files.ts'
import { type Connection, findDamage, quickCheck, sqliteCode } from './sqlite.ts'

// Damage that one process has seen counts for all: a file beside the database names the damaged file by its inode, so that
// a database that is put in its place is not concerned.

const markOf = (path: string): string => `${path}.damaged`

/** Pages up to which a database is checked after an unclean end (100 MB; 0.3 s). */
const PAGES_CHECKED = 25_000

/** Why nothing may be written; undefined where no damage is known. */
export const knownDamage = (path: string): Refusal | undefined => {
  try {
    return readFileSync(markOf(path), 'utf8').split('\n')[0] === identityOf(path) ? damaged(path) : undefined
  } catch {
    return undefined
  }
}

/** Records that the database is damaged. A folder that cannot be written leaves it to the memory of this process. */
export const rememberDamage = (path: string, finding: string): void => {
  try {
    writeFileSync(markOf(path), `${identityOf(path)}\n${finding}\n`, { mode: 0o600 })
  } catch {
    // The database lies in the same folder, so nothing can be written to it either.
  }
}

/** All findings of SQLite's own checks; where a check itself ends in damage, that is the finding. A sound database loses its mark. */
export const checkDamage = (path: string, connection: Connection): readonly string[] => {
  const findings = surviving(() => [...findDamage(connection), ...findBrokenSeals(connection)])
  if (findings.length > 0) rememberDamage(path, findings[0]!)
  else rmSync(markOf(path), { force: true })
  return findings
}

/** Looks for damage where the last process did not close the database, unless it is too large to wait for. */
export const checkAfterUncleanEnd = (path: string, connection: Connection, unclean: boolean): void => {
  if (!unclean) return
  const [finding] = surviving(() => quickCheck(connection, PAGES_CHECKED))
  if (finding !== undefined) rememberDamage(path, finding)
}

/** True where a write-ahead log was left and no process has the database open; false where the system does not tell. */
export const wasLeftOpen = (path: string): boolean => {
  if ((statSync(path + WAL, { throwIfNoEntry: false })?.size ?? 0) === 0 || !existsSync('/proc/locks')) return false
  const { ino } = statSync(path)
  return !readFileSync('/proc/locks', 'utf8').includes(`:${ino} `)
}

const surviving = (check: () => readonly string[]): readonly string[] => {
  try {
    return check()
  } catch (error) {
    if (!isDamage(error)) throw error
    return [`${sqliteCode(error)}: ${(error as Error).message}`]
  }
}
