// The beat by which a process looks whether something has happened: one timer for all who look, since each time that a
// process wakes costs more than the look itself.

/** Milliseconds between two beats. */
export const BEAT = 100

const listeners = new Set<() => void>()
let timer: NodeJS.Timeout | undefined

/** Calls back at every beat; gives what ends that. */
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
