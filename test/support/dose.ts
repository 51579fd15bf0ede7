// The share of a heavy test that runs. `npm run prove -- every` sets EVERY=1 and runs all of each file that imports
// this one.

/** True if all of it runs. */
export const whole = process.env['EVERY'] === '1'

/** Days since 1970, which choose the part of the day. DAY=20779 repeats the part of another day. */
export const day = Number(process.env['DAY'] ?? Math.floor(Date.now() / 86_400_000))

/** A number for `npm run prove`, and a smaller one for every `npm test`. */
export const dose = (full: number, daily: number): number => (whole ? full : daily)

/**
 * True for one in this many, a different one each day: after this many days each was chosen. EVERY=3 chooses one in
 * three instead.
 */
export const isOfDay = (index: number, oneIn: number): boolean => {
  const every = Number(process.env['EVERY'] ?? oneIn)
  return index % every === day % every
}

/** The items of the day. */
export const ofDay = <T>(items: readonly T[], oneIn: number): readonly T[] =>
  items.filter((_, index) => isOfDay(index, oneIn))
