// How often something is done. Nothing here ever overlaps with itself.

/** Does `work` when asked, at most once in `ms`; asked for while it runs, it is done once more. */
export const atMost = (ms: number, work: () => Promise<void>): { readonly ask: () => void; readonly stop: () => void } => {
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
  return {
    ask,
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** Does `work` now, or `first` ms from now, and `ms` after each end of it; gives what stops it. */
export const repeat = (ms: number, work: () => Promise<void> | void, first?: number): (() => void) => {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const turn = async (): Promise<void> => {
    await work()
    if (!stopped) timer = setTimeout(() => void turn(), ms)
  }
  if (first === undefined) void turn()
  else timer = setTimeout(() => void turn(), first)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
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
