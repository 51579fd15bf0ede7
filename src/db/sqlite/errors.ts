import { readFileSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { type Refusal, StoreRefusal } from '../../domain/rules/refusal.ts'

/**
 * Converts an error of SQLite to a refusal that says what to do. An error that only a bug can cause (a constraint, an
 * invalid statement) is returned unchanged. `patience` is the time waited for other writers (ms).
 */
export const explain = (error: unknown, path: string, patience: number): unknown => {
  const code = sqliteCode(error)
  const name = basename(path)
  const { message } = error as Error
  if (code === undefined) return error
  if (isBusy(error)) return busy(path, patience)
  if (isDamage(error)) return damaged(path, error)
  if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN') || code.startsWith('SQLITE_PERM')) {
    return new StoreRefusal(
      'not_writable',
      `${name} cannot be written in ${dirname(path)}. Check the permissions of that folder.`,
      { cause: error },
    )
  }
  if (code === 'SQLITE_FULL')
    return new StoreRefusal(
      'not_writable',
      `The disk is full; nothing was written to ${name}. Make room and try again.`,
      {
        cause: error,
      },
    )
  if (isDeviceError(error)) {
    return new StoreRefusal(
      'disk_failed',
      `The disk failed to read or write ${name} (${code}: ${message}). Nothing was acknowledged. Check the disk, then try again.`,
      { cause: error },
    )
  }
  if (code === 'SQLITE_NOMEM')
    return new StoreRefusal(
      'disk_failed',
      `There is not enough memory to work on ${name}. End other programs and try again.`,
      { cause: error },
    )
  return error
}

/** True if the content of the file is damaged, by any cause. */
export const isDamage = (error: unknown): boolean => {
  const code = sqliteCode(error)
  return code === 'SQLITE_NOTADB' || code?.startsWith('SQLITE_CORRUPT') === true
}

/** True if the system could not read, write or sync; afterwards the kernel's state of this descriptor is unknown. */
export const isDeviceError = (error: unknown): boolean => /^SQLITE_(IOERR|PROTOCOL)/.test(sqliteCode(error) ?? '')

export const damaged = (path: string, cause?: unknown): Refusal =>
  new StoreRefusal(
    'database_corrupt',
    `${path} is damaged or not a database, so nothing is written to it. 'aiswarm db check' shows the damage; 'aiswarm db restore FILE' restores a copy made by 'aiswarm db backup'.`,
    { cause },
  )

export const busy = (path: string, patience: number): Refusal => {
  const pid = lockHolder(path)
  const holder = pid === undefined ? 'another process' : `process ${pid}`
  return new StoreRefusal(
    'database_busy',
    `The database has been locked by ${holder} for more than ${patience / 1000} s. End that process or try again.`,
  )
}

/** SQLite's result code of an error (`SQLITE_BUSY`, …), or undefined for an error of another kind. */
export const sqliteCode = (error: unknown): string | undefined =>
  error instanceof SqliteDatabase.SqliteError ? error.code : undefined

export const isBusy = (error: unknown): boolean => sqliteCode(error)?.startsWith('SQLITE_BUSY') === true

/** The byte of the shared-memory file on which SQLite's write-ahead log locks for writing. */
const WRITE_LOCK_BYTE = 120

/** The process that holds the write lock of the database at `path`; undefined if the system does not tell. */
const lockHolder = (path: string): number | undefined => {
  try {
    const { ino } = statSync(`${path}-shm`)
    for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
      // "1: POSIX  ADVISORY  WRITE 1234 fd:01:5678 120 120"
      const [, , , mode, pid, file, first, last] = line.trim().split(/\s+/)
      const covers = Number(first) <= WRITE_LOCK_BYTE && (last === 'EOF' || WRITE_LOCK_BYTE <= Number(last))
      if (mode === 'WRITE' && covers && Number(file?.split(':')[2]) === ino) return Number(pid)
    }
  } catch {
    // Without /proc, or if the file was deleted, the message says "another process".
  }
  return undefined
}
