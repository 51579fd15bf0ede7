import { lstatSync } from 'node:fs'
import Database from 'better-sqlite3'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'

/** Runs `work` while no other process holds the same lock. */
type FileLock = <T>(path: string, work: () => T) => T

/** The longest wait for another process (ms). */
const PATIENCE = 20_000

/**
 * A lock between processes for work on files, which no database row can provide: SQLite's own lock on an empty file at
 * `path`, which the kernel releases when a process dies. The folder must exist; no link is followed and no pipe opened.
 */
export const withFileLock: FileLock = (path, work) => {
  const lock = open(path)
  try {
    // A journal file would require write permission for the folder, and nothing is ever committed.
    lock.pragma('journal_mode = MEMORY')
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    const { code = '' } = error as { code?: string }
    const held = code.startsWith('SQLITE_BUSY')
    if (!held)
      throw new Refusal('not_writable', `${path} is not a lock of aiswarm, so nothing is written here. Remove it.`, {
        cause: error,
      })
    throw new Refusal('database_busy', `Another process has held ${path} for ${PATIENCE / 1000} s. Try again.`, {
      cause: error,
    })
  }
  try {
    return work()
  } finally {
    // Nothing was written, and closing releases the lock: a commit would write a page, which fails on a full disk.
    lock.close()
  }
}

const open = (path: string): Database.Database => {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw new Refusal('not_writable', `${path} is not a regular file, so nothing is written here. Remove it.`)
    return new Database(path, { timeout: PATIENCE })
  } catch (error) {
    if (isRefusal(error)) throw error
    throw new Refusal('not_writable', `${path} cannot be opened. Check the permissions of its folder.`, {
      cause: error,
    })
  }
}
