import Database from 'better-sqlite3'
import { Refusal } from '../domain/refusal.ts'

/** Runs `work` while no other process is inside the same lock. */
export type FileLock = <T>(path: string, work: () => T) => T

/** Longest wait for another process (ms). */
const PATIENCE = 20_000

/**
 * A lock between processes that files need and no database row can give: SQLite's own lock on an empty file at `path`,
 * which the kernel takes back from a process that dies. The folder must exist.
 */
export const withFileLock: FileLock = (path, work) => {
  const lock = open(path)
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    throw new Refusal('database_busy', `Another process has held ${path} for ${PATIENCE / 1000} s; try again.`, { cause: error })
  }
  try {
    return work()
  } finally {
    lock.exec('COMMIT')
    lock.close()
  }
}

const open = (path: string): Database.Database => {
  try {
    return new Database(path, { timeout: PATIENCE })
  } catch (error) {
    throw new Refusal('not_writable', `${path} cannot be opened; check the permissions of its folder.`, { cause: error })
  }
}
