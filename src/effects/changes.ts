import { setTimeout as sleep } from 'node:timers/promises'
import type { Core } from '../operations/kernel/core.ts'

/** How often the database is asked whether somebody has committed (ms). The question costs a few microseconds. */
const INTERVAL = 100

/** Calls back after every commit of any process; gives a function that ends it. */
export const watchChanges = (store: Core['store'], changed: () => void): (() => void) => {
  let version = store.version()
  const timer = setInterval(() => {
    if (version === (version = store.version())) return
    changed()
  }, INTERVAL)
  return () => clearInterval(timer)
}

/** Resolves at the next commit of any process after the store was at `version`, after `ms`, or when the signal aborts. */
export const nextChange = async (store: Core['store'], version: number, ms: number, signal: AbortSignal): Promise<void> => {
  const until = Date.now() + ms
  // At least one turn of the event loop: a caller whose own looks are changes must not keep everything else from happening.
  do await sleep(Math.max(1, Math.min(store.version() === version ? INTERVAL : 1, until - Date.now())))
  while (Date.now() < until && !signal.aborted && store.version() === version)
}
