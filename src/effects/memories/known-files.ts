import { lstatSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds after which a series of reads yields to keys and frames. */
const AT_ONCE = 8

/** Caches the result of `read` per file until the file's stamp changes; the content is not compared. */
export interface KnownFiles {
  <T>(path: string, read: () => T): Promise<T>
}

export const knownFiles = (): KnownFiles => {
  const known = new Map<string, { readonly stamp: string; readonly value: unknown }>()
  let began = performance.now()
  return async <T>(path: string, read: () => T): Promise<T> => {
    // Taken before the read: a file that changes meanwhile is read again.
    const stamp = stampOf(path)
    const before = known.get(path)
    if (before?.stamp === stamp) return before.value as T
    if (performance.now() - began > AT_ONCE) {
      await nextTurn()
      began = performance.now()
    }
    const value = read()
    known.set(path, { stamp, value })
    return value
  }
}

const stampOf = (path: string): string => {
  try {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
  } catch {
    return 'unreadable'
  }
}

/** Runs `read`. A refusal is passed to `refused` as a sentence with paths relative to the repository's root. */
export type Sentences = <T>(read: () => T, refused: (sentence: string) => T) => T

/** The previous list if it has the same elements. */
export const keptList = <T>(before: readonly T[], next: readonly T[]): readonly T[] =>
  before.length === next.length && next.every((one, index) => one === before[index]) ? before : next
