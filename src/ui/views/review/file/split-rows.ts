import { contentOf, type DiffIndex, kindOf } from '../../../../domain/words/unified-diff.ts'

// The lines of a diff as pairs: the old version at the left, the new one at the right.

/** The lines of each pair, -1 where there is none; a context line is on both sides. */
export interface Pairs {
  readonly count: number
  readonly left: Int32Array
  readonly right: Int32Array
  /** The difference between the old and the new number of a context line. */
  readonly shift: Int32Array
  /** The pair of each line. */
  readonly of: Uint32Array
}

/** `equal` has the other version of lines that count as unchanged; they are opposite of each other. */
export const pairsOf = (index: DiffIndex, equal: Int32Array | null): Pairs => {
  const [left, right, shift] = [0, 1, 2].map(() => new Int32Array(index.count)) as [Int32Array, Int32Array, Int32Array]
  const of = new Uint32Array(index.count)
  let [count, moved] = [0, 0]
  const push = (old: number, next: number): void => {
    left[count] = old
    right[count] = next
    shift[count] = moved
    if (old >= 0) of[old] = count
    if (next >= 0) of[next] = count
    count++
  }
  /** Lines without another version are opposite of each other in their order. */
  const pushRun = (old: number, oldEnd: number, next: number, nextEnd: number): void => {
    for (let n = 0; n < Math.max(oldEnd - old, nextEnd - next); n++)
      push(old + n < oldEnd ? old + n : -1, next + n < nextEnd ? next + n : -1)
  }
  for (let line = 0; line < index.count;) {
    const kind = kindOf(index, line)
    if (kind !== 'removed' && kind !== 'added') {
      if (kind === 'hunk') moved = shiftAt(contentOf(index, line))
      push(line, line)
      line++
      continue
    }
    const middle = endOf(index, line, 'removed')
    const end = endOf(index, middle, 'added')
    let [old, next] = [line, middle]
    for (let at = line; equal !== null && at < middle; at++) {
      const other = equal[at]!
      if (other === -1) continue
      pushRun(old, at, next, other)
      push(at, other)
      ;[old, next] = [at + 1, other + 1]
    }
    pushRun(old, middle, next, end)
    moved += middle - line - (end - middle)
    line = end
  }
  return { count, left, right, shift, of }
}

const endOf = (index: DiffIndex, from: number, kind: 'removed' | 'added'): number => {
  let at = from
  while (at < index.count && kindOf(index, at) === kind) at++
  return at
}

const shiftAt = (hunk: string): number => {
  const [, old = '0', next = '0'] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(hunk) ?? []
  return Number(old) - Number(next)
}
