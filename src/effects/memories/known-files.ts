import { lstatSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds after which a row of readings lets keys and frames in. */
const AT_ONCE = 8

/** Gives what `read` makes of a file, anew only when the file is another: its content is not looked at. */
export interface KnownFiles {
  <T>(path: string, read: () => T): Promise<T>
}

export const knownFiles = (): KnownFiles => {
  const known = new Map<string, { readonly stamp: string; readonly value: unknown }>()
  let began = performance.now()
  return async <T>(path: string, read: () => T): Promise<T> => {
    // Before the reading: what changes meanwhile is read once more.
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

/** Runs `read`; a refusal is given to `refused` as its sentence, in which files are named from the repository's root on. */
export type Sentences = <T>(read: () => T, refused: (sentence: string) => T) => T

/** The list as it was, where it holds the same. */
export const keptList = <T>(before: readonly T[], next: readonly T[]): readonly T[] =>
  before.length === next.length && next.every((one, index) => one === before[index]) ? before : next
