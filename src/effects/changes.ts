import { setTimeout as sleep } from 'node:timers/promises'
import type { Core } from '../operations/kernel/core.ts'
import { BEAT, onBeat } from './beat.ts'

// The database is asked at every beat whether somebody has committed; the question costs a few microseconds.

/** Calls back after every commit of any process; gives a function that ends it. */
export const watchChanges = (store: Core['store'], changed: () => void): (() => void) => {
  let version = store.version()
  return onBeat(() => {
    if (version !== (version = store.version())) changed()
  })
}

/** As `watchChanges`, for as many as want to know: the database is asked once for all of them. */
export const sharedChanges = (store: Core['store']): ((changed: () => void) => () => void) => {
  const listeners = new Set<() => void>()
  let stop: (() => void) | undefined
  return (changed) => {
    const listener = (): void => changed()
    listeners.add(listener)
    stop ??= watchChanges(store, () => listeners.forEach((one) => one()))
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      stop?.()
      stop = undefined
    }
  }
}

/** What `read` gives for each key, read again only when something was committed since. */
export const untilCommit = <T>(store: Core['store'], read: (key: string) => Promise<T>): ((key: string) => Promise<T>) => {
  let version = -1
  const known = new Map<string, T>()
  return async (key) => {
    const now = store.version()
    if (now !== version) known.clear()
    version = now
    const before = known.get(key)
    if (before !== undefined) return before
    const value = await read(key)
    // What was committed meanwhile may not be in it.
    if (version === now) known.set(key, value)
    return value
  }
}

/** Resolves at the next commit of any process after the store was at `version`, after `ms`, or when the signal aborts. */
export const nextChange = async (store: Core['store'], version: number, ms: number, signal: AbortSignal): Promise<void> => {
  const until = performance.now() + ms
  // At least one turn of the event loop: a caller whose own looks are changes must not keep everything else from happening.
  do await sleep(Math.max(1, Math.min(store.version() === version ? BEAT : 1, until - performance.now())))
  while (performance.now() < until && !signal.aborted && store.version() === version)
}
