// A single timer on which a process checks for changes, shared by all observers, because waking the process costs more
// than a check.

/** Milliseconds between two beats. */
export const BEAT = 100

const listeners = new Set<() => void>()
let timer: NodeJS.Timeout | undefined

/** Calls `work` at every beat; returns a function that ends it. */
export const onBeat = (work: () => void): (() => void) => {
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
