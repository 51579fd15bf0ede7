import type { Core } from '../operations/perform/core.ts'

/** Caches the result of `read` per key until the next commit. */
export const untilCommit = <T>(
  store: Core['store'],
  read: (key: string) => Promise<T>,
): ((key: string) => Promise<T>) => {
  let version = -1
  const known = new Map<string, T>()
  return async (key) => {
    const now = store.version()
    if (now !== version) known.clear()
    version = now
    const before = known.get(key)
    if (before !== undefined) return before
    const value = await read(key)
    // The value may lack a commit that happened while it was read.
    if (version === now) known.set(key, value)
    return value
  }
}
