// Limits how often work runs. Work never overlaps with itself.

/** Milliseconds until work that has failed is tried again; after work that took longer, as long as that. */
const AGAIN = 1000

/**
 * Runs `work` on request, at most once in `ms` and in at most `share` of the time; requested during a run, it runs once
 * more. Work that results in false has failed and is tried again. `hurry` skips the delay for a waiting caller.
 */
export const throttled = (
  ms: number,
  work: () => Promise<boolean | void>,
  share = 1,
): { readonly ask: () => void; readonly hurry: () => void; readonly stop: () => void } => {
  let timer: NodeJS.Timeout | undefined
  let running = false
  let again = false
  let stopped = false
  let due = -Infinity
  const run = async (): Promise<void> => {
    timer = undefined
    running = true
    again = false
    const began = performance.now()
    due = began + ms
    const hasFailed = (await work()) === false
    running = false
    const took = performance.now() - began
    due = Math.max(due, began + took / share, hasFailed ? began + took + Math.max(AGAIN, took) : 0)
    if (again || hasFailed) ask()
  }
  const ask = (): void => {
    if (stopped || timer) return
    if (running) again = true
    else timer = setTimeout(() => void run(), Math.max(0, due - performance.now()))
  }
  const hurry = (): void => {
    due = -Infinity
    if (!timer) return ask()
    clearTimeout(timer)
    timer = undefined
    ask()
  }
  return {
    ask,
    hurry,
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}

interface Repeated {
  readonly work: () => Promise<unknown> | void
  readonly ms: number
  /** When it is due next, by the clock of `performance`; Infinity while it runs. */
  due: number
}

const repeated = new Set<Repeated>()
let waking: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined

/**
 * Runs `work` now, or `first` ms from now, and then in steps of `ms`; returns a function that stops it. Steps begin at
 * multiples of `ms`, so that an idle process wakes once for all repeated work: waking costs more than a check without
 * changes (0.2 ms on a virtual machine). Between the end of a step and the next there is at least half of `ms`.
 */
export const repeat = (ms: number, work: () => Promise<unknown> | void, first?: number): (() => void) => {
  const one: Repeated = { work, ms, due: performance.now() + (first ?? 0) }
  repeated.add(one)
  if (first === undefined) void step(one)
  else wakeFor(one)
  return () => {
    repeated.delete(one)
    if (repeated.size > 0) return
    clearTimeout(waking?.timer)
    waking = undefined
  }
}

const step = async (one: Repeated): Promise<void> => {
  one.due = Infinity
  await one.work()
  if (!repeated.has(one)) return
  one.due = Math.ceil((performance.now() + one.ms / 2) / one.ms) * one.ms
  wakeFor(one)
}

const wakeFor = ({ due }: Repeated): void => {
  if (waking && waking.at <= due) return
  clearTimeout(waking?.timer)
  // Node prints a warning for a negative timeout, on the screen.
  waking = { at: due, timer: setTimeout(() => void wake(), Math.max(0, Math.ceil(due - performance.now()))) }
}

/** Keys are processed between two of them. */
const wake = async (): Promise<void> => {
  waking = undefined
  const now = performance.now() + 1
  for (const one of [...repeated]) {
    if (one.due > now || !repeated.has(one)) continue
    void step(one)
    await new Promise((done) => setImmediate(done))
  }
  for (const one of repeated) if (one.due < Infinity) wakeFor(one)
}

/**
 * Runs `work` after no request for `ms`, and at the latest `most` ms after the first request, so that rows passed
 * quickly are not read.
 */
export const debounced = (
  ms: number,
  most: number,
  work: () => void,
): { readonly ask: () => void; readonly stop: () => void } => {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let latest = 0
  return {
    ask: () => {
      if (stopped) return
      if (timer) clearTimeout(timer)
      else latest = performance.now() + most
      const run = (): void => {
        timer = undefined
        work()
      }
      timer = setTimeout(run, Math.max(0, Math.min(ms, latest - performance.now())))
    },
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** The time without a key after which the console counts as idle (ms). */
const QUIET = 8000

/** Calls back at intervals while no key is pressed. */
export const makeIdle = (rests: () => void): { readonly disturbed: () => void; readonly stop: () => void } => {
  let last = performance.now()
  const look = (): void => (performance.now() - last >= QUIET ? rests() : undefined)
  return { disturbed: () => void (last = performance.now()), stop: repeat(QUIET / 2, look, QUIET) }
}
