import { contentOf, type DiffIndex, kindOf } from '../../../../domain/words/unified-diff.ts'

// Finds lines that differ from their other version in blanks only.

/** A longer line counts as changed. */
const LONGEST = 2000

/** The other version of each line that differs in blanks only; -1 for the others. */
export const blankPairs = (index: DiffIndex): Int32Array => {
  const known = knownPairs.get(index)
  if (known) return known
  const pairs = new Int32Array(index.count).fill(-1)
  for (let line = 0; line < index.count; line++) {
    if (kindOf(index, line) !== 'removed') continue
    let middle = line
    while (middle < index.count && kindOf(index, middle) === 'removed') middle++
    let end = middle
    while (end < index.count && kindOf(index, end) === 'added') end++
    pairUp(index, pairs, line, middle, end)
    line = Math.max(line, end - 1)
  }
  knownPairs.set(index, pairs)
  return pairs
}

const knownPairs = new WeakMap<DiffIndex, Int32Array>()

/** Pairs equal lines of a run of removed ones and the added ones after it, in their order. */
const pairUp = (index: DiffIndex, pairs: Int32Array, first: number, middle: number, end: number): void => {
  const places = new Map<string, number[]>()
  for (let line = middle; line < end; line++) {
    const text = bare(index, line)
    if (text === undefined) continue
    const known = places.get(text)
    if (known) known.push(line)
    else places.set(text, [line])
  }
  let after = middle
  for (let line = first; line < middle; line++) {
    const text = bare(index, line)
    const other = text === undefined ? undefined : nextFrom(places.get(text), after)
    if (other === undefined) continue
    pairs[line] = other
    pairs[other] = line
    after = other + 1
  }
}

/** The first place from another one on; places before it are not needed any more. */
const nextFrom = (places: number[] | undefined, after: number): number | undefined => {
  while (places && places.length > 0 && places[0]! < after) places.shift()
  return places?.[0]
}

const bare = (index: DiffIndex, line: number): string | undefined =>
  index.ends[line]! - index.starts[line]! > LONGEST ? undefined : contentOf(index, line).replace(/\s+/g, '')
