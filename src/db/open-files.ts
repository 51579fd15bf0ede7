import { statSync } from 'node:fs'

/** The write-ahead log and the memory that all processes share lie beside the database. */
export const WAL = '-wal'
export const SHM = '-shm'

/** Which of the three files is no longer the one that was opened. */
export type Moved = 'database' | 'log'

export interface OpenFiles {
  /** Device and inode of the database. */
  readonly database: string
  /** Compares the files with those that were opened; costs three stat calls (some 6 µs). */
  moved(): Moved | undefined
}

/**
 * Remembers the files of a database that is open, after its first read. SQLite keeps writing to a file that was removed or
 * replaced: what it then acknowledges is seen by no other process and is gone with this one.
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

/** Device and inode of a file; `none` where there is no file. */
export const identityOf = (path: string): string => {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? 'none' : `${stat.dev}:${stat.ino}`
}
