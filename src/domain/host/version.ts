/** True if `one` is a newer version than `other`, both as `1.12.3`; false if either is none. What follows a hyphen counts for nothing. */
export const isNewer = (one: string, other: string): boolean => {
  const [a, b] = [numbersOf(one), numbersOf(other)]
  if (a === undefined || b === undefined) return false
  const at = a.findIndex((number, index) => number !== b[index])
  return at !== -1 && a[at]! > b[at]!
}

const numbersOf = (version: string): readonly number[] | undefined =>
  /^(\d+)\.(\d+)\.(\d+)(?:[-+]|$)/.exec(version)?.slice(1).map(Number)
