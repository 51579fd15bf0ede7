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

/** Resolves at the next commit of any process, after `ms`, or when the signal aborts. */
export const nextChange = async (store: Core['store'], ms: number, signal: AbortSignal): Promise<void> => {
  const version = store.version()
  const until = Date.now() + ms
  while (Date.now() < until && !signal.aborted && store.version() === version) await sleep(Math.min(INTERVAL, until - Date.now()))
}
