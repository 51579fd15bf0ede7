import { statSync } from 'node:fs'

/** The write-ahead log and the memory shared by all processes are beside the database. */
export const WAL = '-wal'
export const SHM = '-shm'

/** The file that is no longer the one that was opened. */
type Moved = 'database' | 'log'

export interface OpenFiles {
  /** Device and inode of the database. */
  readonly database: string
  /** Compares the files with those that were opened; costs three stat calls (some 6 µs). */
  moved(): Moved | undefined
}

/**
 * Records the files of an open database, after its first read. SQLite continues to write to a deleted or replaced file:
 * no other process sees those commits, and they are lost when this one ends.
 */
export const openFiles = (path: string): OpenFiles => {
  const database = identityOf(path)
  const log = [WAL, SHM].map((end) => identityOf(path + end))
  return {
    database,
    moved: () => {
      if (identityOf(path) !== database) return 'database'
      return log.some((identity, index) => identityOf(path + [WAL, SHM][index]!) !== identity) ? 'log' : undefined
    },
  }
}

/** Device and inode of a file; `none` if there is no file. */
export const identityOf = (path: string): string => {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? 'none' : `${stat.dev}:${stat.ino}`
}
