// How often something is done. Nothing here ever overlaps with itself.

/** Does `work` when asked, at most once in `ms`; asked for while it runs, it is done once more. Somebody who waits for it may hurry it. */
export const atMost = (ms: number, work: () => Promise<void>): { readonly ask: () => void; readonly hurry: () => void; readonly stop: () => void } => {
  let timer: NodeJS.Timeout | undefined
  let running = false
  let again = false
  let stopped = false
  let began = -Infinity
  const run = async (): Promise<void> => {
    timer = undefined
    running = true
    again = false
    began = performance.now()
    await work()
    running = false
    if (again) ask()
  }
  const ask = (): void => {
    if (stopped || timer) return
    if (running) again = true
    else timer = setTimeout(() => void run(), Math.max(0, began + ms - performance.now()))
  }
  const hurry = (): void => {
    began = -Infinity
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
  readonly work: () => Promise<void> | void
  readonly ms: number
  /** When it is to be done next, by the clock of `performance`; Infinity while it is done. */
  due: number
}

const repeated = new Set<Repeated>()
let waking: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined

/**
 * Does `work` now, or `first` ms from now, and then in steps of `ms`; gives what stops it. Steps begin at multiples of `ms`,
 * so that a process with nothing to do wakes once for all that it repeats: to wake costs more than a look at what has not
 * changed (0.2 ms on a virtual machine). Between the end of a step and the next there is at least half of `ms`.
 */
export const repeat = (ms: number, work: () => Promise<void> | void, first?: number): (() => void) => {
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
  // Node warns of a moment that is over, on the screen.
  waking = { at: due, timer: setTimeout(() => void wake(), Math.max(0, Math.ceil(due - performance.now()))) }
}

/** A key that comes meanwhile is answered between two of them. */
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

/** Does `work` when it was not asked for again for `ms`, and at the latest `most` ms after it was first asked for: what is passed by in a hurry is not read. */
export const rested = (ms: number, most: number, work: () => void): { readonly ask: () => void; readonly stop: () => void } => {
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
