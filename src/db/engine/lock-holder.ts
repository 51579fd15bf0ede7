import { readFileSync, statSync } from 'node:fs'

/** The byte of the shared-memory file on which SQLite's write-ahead log locks for writing. */
const WRITE_LOCK_BYTE = 120

/** The process that holds the write lock of the database at `path`; undefined if the system does not tell. */
export const lockHolder = (path: string): number | undefined => {
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
