/** `1 attempt`, `2 attempts` */
export const countOf = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** `a, b and 3 more`: at most `most` names of a list, and the number of the others. */
export const someOf = (names: readonly (string | number)[], most: number): string =>
  names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')} and ${names.length - most} more`

/** `12K`, `412M`, `3.1G`: a size in memory or on the disk. */
export const bytes = (n: number): string => {
  if (n >= 1024 ** 3) return `${(n / 1024 ** 3).toFixed(1)}G`
  return n >= 1024 ** 2 ? `${Math.round(n / 1024 ** 2)}M` : `${Math.round(n / 1024)}K`
}
