import { setTimeout as sleep } from 'node:timers/promises'
import type { Core } from '../../operations/perform/core.ts'

// Every beat asks the database whether a process has committed; the query takes a few microseconds.

/** Calls `changed` after every commit of any process; returns a function that ends it. */
export const watchChanges = (store: Core['store'], changed: () => void): (() => void) => {
  let version = store.version()
  return onBeat(() => {
    if (version !== (version = store.version())) changed()
  })
}

/** As `watchChanges`, for any number of observers with one query. */
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

/**
 * Resolves at the next commit of any process after the store was at `version`, after `ms`, or when the signal aborts.
 */
export const nextChange = async (
  store: Core['store'],
  version: number,
  ms: number,
  signal: AbortSignal,
): Promise<void> => {
  const until = performance.now() + ms
  // Waits at least one turn of the event loop: a caller that itself commits must not block everything else.
  do await sleep(Math.max(1, Math.min(store.version() === version ? BEAT : 1, until - performance.now())))
  while (performance.now() < until && !signal.aborted && store.version() === version)
}

// A single timer on which a process checks for changes, shared by all observers, because waking the process costs more
// than a check.

/** Milliseconds between two beats. */
export const BEAT = 100

const listeners = new Set<() => void>()
let timer: NodeJS.Timeout | undefined

/** Calls `work` at every beat; returns a function that ends it. */
const onBeat = (work: () => void): (() => void) => {
  const listener = (): void => work()
  listeners.add(listener)
  timer ??= setInterval(() => listeners.forEach((one) => one()), BEAT)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Resolves with the next beat. */
export const nextBeat = (): Promise<void> =>
  new Promise((done) => {
    const end = onBeat(() => {
      end()
      done()
    })
  })
