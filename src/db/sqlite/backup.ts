import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { newFile, syncPath, whyNoFile } from '../engine/new-file.ts'
import { findDamage } from './damage.ts'
import { connect, type Connection, tableNames, vacuumInto } from './database.ts'
import { explain, isDamage, isDeviceError } from './errors.ts'
import { withFileLock } from './file-lock.ts'
import { identityOf, SHM, WAL } from './files.ts'

/**
 * Writes a compact copy of the database to a new file, whole or not at all. It is in WAL mode, so that it can replace a
 * database as it is.
 */
export const backupTo = (connection: Connection, path: string): void => {
  const { draft, place, clear } = newFile(path)
  try {
    copyInto(connection, draft)
    place()
  } catch (error) {
    throw whyNoFile(path, error) ?? explain(error, path, 0)
  } finally {
    clear()
  }
}

/** Writes a copy in WAL mode, readable by its owner only; the file must not exist. */
const copyInto = (connection: Connection, path: string): void => {
  // Created before SQLite writes to it, so that other users can never read the copy.
  closeSync(openSync(path, 'wx', 0o600))
  vacuumInto(connection, path)
  const copy = connect(path)
  try {
    copy.pragma('journal_mode = WAL')
  } finally {
    copy.close()
  }
  chmodSync(path, 0o600)
}

// A database is replaced while other processes have it open. The steps, each of which may be the last before a crash:
// 1. the copy is staged beside the database, whole, checked and synced;
// 2. the write lock of the old database is taken: no process is in the middle of a write, and a waiting one checks the
//    files again when it gets the lock;
// 3. the old database and its log get a second name, under which they are kept;
// 4. a mark is written: from here on every process that opens the database completes steps 5 and 6 first
//    (`finishRestore`);
// 5. the old log is deleted, the staged copy gets the name of the database;
// 6. the mark is deleted.

/** The suffix of a replaced database's name. */
export const KEPT = '.replaced-'

const stagedOf = (path: string): string => `${path}.restoring`
const markOf = (path: string): string => `${path}.restore`
const gateOf = (path: string): string => `${path}.gate`

/** True between steps 4 and 6: nothing may be written then. */
export const isBeingRestored = (path: string): boolean => existsSync(markOf(path))

/** Completes a replacement whose process died; waits for a process that is replacing the database now. */
export const finishRestore = (path: string): void => {
  if (isBeingRestored(path)) withFileLock(gateOf(path), () => finish(path))
}

/**
 * Replaces the database at `path` by a copy of the one in `from`, and keeps the old one at `aside` (a new name in the
 * same folder). `patience` is how long to wait for a process that writes (ms). Returns whether there was a database to
 * keep.
 */
export const restoreFrom = (
  path: string,
  from: string,
  { aside, patience }: { aside: string; patience: number },
): { readonly kept: boolean } =>
  withFileLock(gateOf(path), () => {
    finish(path)
    stage(path, from)
    const lock = lockWrites(path, patience)
    try {
      const kept = keep(path, aside)
      writeFileSync(markOf(path), aside, { mode: 0o600, flush: true })
      syncPath(dirname(path))
      finish(path)
      return { kept }
    } finally {
      // SQLite sees that its file was moved, so it does not touch the files of the new database.
      lock?.close()
      rmSync(stagedOf(path), { force: true })
    }
  })

/** Steps 5 and 6, unless they are done. */
const finish = (path: string): void => {
  if (!isBeingRestored(path)) return
  for (const end of [WAL, SHM]) if (existsSync(stagedOf(path))) rmSync(path + end, { force: true })
  if (existsSync(stagedOf(path))) renameSync(stagedOf(path), path)
  syncPath(dirname(path))
  rmSync(markOf(path))
  syncPath(dirname(path))
}

/** The file is copied before SQLite opens it, because it may be on a read-only medium and must not change. */
const stage = (path: string, from: string): void => {
  const staged = stagedOf(path)
  if (!existsSync(from)) throw new Refusal('not_found', `There is no file ${from}.`)
  if (identityOf(from) === identityOf(path))
    throw new Refusal('invalid_input', `${from} is the database that is in use. Name a copy of it.`)
  removeAll(staged)
  try {
    for (const end of ['', WAL]) if (existsSync(from + end)) copyFileSync(from + end, staged + end)
    chmodSync(staged, 0o600)
    const copy = connect(staged)
    try {
      refuseUnsound(copy, from)
      copy.pragma('journal_mode = WAL')
    } finally {
      copy.close()
    }
    syncPath(staged)
  } catch (error) {
    removeAll(staged)
    if (isRefusal(error)) throw error
    if (isDamage(error))
      throw new Refusal(
        'database_corrupt',
        `${from} is damaged or not a database, so nothing was restored. Name another copy.`,
        { cause: error },
      )
    throw explain(error, from, 0)
  }
}

const removeAll = (path: string): void => {
  for (const end of ['', WAL, SHM, '-journal']) rmSync(path + end, { force: true })
}

const refuseUnsound = (copy: Connection, from: string): void => {
  if (!tableNames(copy).includes('migration_history'))
    throw new Refusal('database_foreign', `${from} is not aiswarm's database, so nothing was restored.`)
  const [finding] = findDamage(copy)
  if (finding !== undefined)
    throw new Refusal('database_corrupt', `${from} is damaged, so nothing was restored: ${finding}. Name another copy.`)
}

/** Takes the write lock of the old database; undefined if there is none, or if it cannot be opened. */
const lockWrites = (path: string, patience: number): Connection | undefined => {
  if (!existsSync(path)) return undefined
  let lock: Connection | undefined
  try {
    lock = connect(path, { wait: patience })
    lock.exec('BEGIN IMMEDIATE')
    return lock
  } catch (error) {
    lock?.close()
    if (isDamage(error) || isDeviceError(error)) return undefined
    throw explain(error, path, patience)
  }
}

/** The log moves with its database, which would otherwise lack the last writes. */
const keep = (path: string, aside: string): boolean => {
  try {
    for (const end of ['', WAL])
      if ((statSync(path + end, { throwIfNoEntry: false })?.size ?? 0) > 0) linkSync(path + end, aside + end)
  } catch (error) {
    throw new Refusal(
      'not_writable',
      `The database could not be kept at ${aside} (${(error as NodeJS.ErrnoException).code}), so nothing was restored.`,
      { cause: error },
    )
  }
  return existsSync(aside)
}
