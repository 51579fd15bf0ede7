import { repeat } from './pace.ts'

/** Nobody has pressed a key for so long (ms). */
const QUIET = 8000

/** Calls back every so often while no key is pressed. */
export const makeRest = (rests: () => void): { readonly disturbed: () => void; readonly stop: () => void } => {
  let last = performance.now()
  const look = (): void => (performance.now() - last >= QUIET ? rests() : undefined)
  return { disturbed: () => void (last = performance.now()), stop: repeat(QUIET / 2, look, QUIET) }
}
