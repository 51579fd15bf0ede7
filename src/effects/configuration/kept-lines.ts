/**
 * `next` with the lines of `source` wherever only their spacing differs, because writing a document anew moves every
 * comment. The caller checks that the result still means the same.
 */
export const keptLines = (source: string, next: string): string => {
  const [own, wanted] = [source.split('\n'), next.split('\n')]
  const [a, b] = [own.map(spaced), wanted.map(spaced)]
  const common = lengths(a, b)
  const lines: string[] = []
  let at = 0
  for (let of = 0; of < b.length;) {
    if (at < a.length && a[at] === b[of]) {
      lines.push(own[at++]!)
      of++
    } else if (at < a.length && common[at + 1]![of]! >= common[at]![of + 1]!) at++
    else {
      // Writing anew adds empty lines; the last one ends the file.
      if (b[of] !== '' || of === b.length - 1) lines.push(wanted[of]!)
      of++
    }
  }
  return lines.join('\n')
}

const spaced = (line: string): string => line.trim().replace(/\s+/g, ' ')

/** Lengths of the longest common subsequences of the rests of two lists. */
const lengths = (one: readonly string[], other: readonly string[]): readonly (readonly number[])[] => {
  const table = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 2).fill(0))
  for (let at = one.length - 1; at >= 0; at--)
    for (let of = other.length - 1; of >= 0; of--)
      table[at]![of] =
        one[at] === other[of] ? table[at + 1]![of + 1]! + 1 : Math.max(table[at + 1]![of]!, table[at]![of + 1]!)
  return table
}
