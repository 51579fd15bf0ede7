import { repeat } from '../core/timers.ts'

/** The time without a key after which the console counts as idle (ms). */
const QUIET = 8000

/** Calls back at intervals while no key is pressed. */
export const makeIdle = (rests: () => void): { readonly disturbed: () => void; readonly stop: () => void } => {
  let last = performance.now()
  const look = (): void => (performance.now() - last >= QUIET ? rests() : undefined)
  return { disturbed: () => void (last = performance.now()), stop: repeat(QUIET / 2, look, QUIET) }
}
