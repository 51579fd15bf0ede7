import type { Core } from '../../operations/door/core.ts'

export type LockWaits = ReturnType<Core['store']['waits']>

/** How long something took (ms), of so many times in all. */
export interface Spread {
  readonly count: number
  readonly p50: number
  readonly p99: number
}

export interface GaugeReading {
  /** From a key to the frame that answers it. */
  readonly keys: Spread
  /** A look at the database, with what comes of it in the store. */
  readonly refreshes: Spread
  /** Written to the terminal. */
  readonly bytes: { readonly all: number; readonly perSecond: number }
  readonly waits: LockWaits
  /** Processes that this one has started: git, editors, measuring programs. */
  readonly own: { readonly running: number; readonly started: number }
  /** How late this process comes to what is due (ms). */
  readonly heldUp: { readonly p99: number; readonly longest: number }
}

const none: Spread = { count: 0, p50: 0, p99: 0 }

export const unmeasured: GaugeReading = {
  keys: none,
  refreshes: none,
  bytes: { all: 0, perSecond: 0 },
  waits: { times: 0, ms: 0, longest: 0 },
  own: { running: 0, started: 0 },
  heldUp: { p99: 0, longest: 0 },
}
