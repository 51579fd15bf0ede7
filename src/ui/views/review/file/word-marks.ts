import { diffWordsWithSpace } from 'diff'
import { type DiffIndex, kindOf, type LineKind } from '../../../../domain/words/unified-diff.ts'
import { spelt } from './text-rows.ts'

// Determines the new and removed words of changed lines, for visible lines only.

/** Parts of a text: from (inclusive) and to (exclusive). */
export type Marks = readonly (readonly [number, number])[]

/** The longest line that is compared word by word, and the longest run of such lines. */
const LONGEST = 1000
const MOST_LINES = 200

/** The words of a line that its counterpart lacks; empty if it has none, or if hardly a word is the same. */
export const marksOf = (index: DiffIndex, line: number): Marks => {
  const known = remembered.get(index) ?? new Map<number, Marks>()
  remembered.set(index, known)
  const marks = known.get(line)
  if (marks) return marks
  const pair = counterpart(index, line)
  if (pair === undefined) {
    known.set(line, trailing(index, line))
    return known.get(line)!
  }
  const [removed, added] = pair
  const [goes, comes] = compare(spelt(index, removed), spelt(index, added))
  known.set(removed, goes)
  known.set(added, comes.length > 0 ? comes : trailing(index, added))
  return known.get(line)!
}

const remembered = new WeakMap<DiffIndex, Map<number, Marks>>()

/** The n-th of a run of removed lines corresponds to the n-th of the added lines after it, if there are as many. */
const counterpart = (index: DiffIndex, line: number): readonly [removed: number, added: number] | undefined => {
  const kind = kindOf(index, line)
  if (kind !== 'removed' && kind !== 'added') return undefined
  const middle = kind === 'added' ? runBefore(index, line, 'added') : runBehind(index, line, 'removed')
  const first = runBefore(index, middle, 'removed')
  const lines = runBehind(index, middle, 'added') - middle
  if (lines !== middle - first || lines === 0 || lines > MOST_LINES) return undefined
  const nth = line - (kind === 'removed' ? first : middle)
  return [first + nth, middle + nth]
}

/** The beginning of the run of a kind before this line; a run that is too long is not followed to its end. */
const runBefore = (index: DiffIndex, line: number, kind: LineKind): number => {
  let at = line
  while (at > 0 && line - at <= MOST_LINES && kindOf(index, at - 1) === kind) at--
  return at
}

const runBehind = (index: DiffIndex, line: number, kind: LineKind): number => {
  let at = line
  while (at < index.count && at - line <= MOST_LINES && kindOf(index, at) === kind) at++
  return at
}

/** A line with a smaller unchanged share counts as completely different. */
const KEPT = 0.3

const compare = (old: string, next: string): readonly [Marks, Marks] => {
  if (old.length > LONGEST || next.length > LONGEST) return [[], []]
  const parts = diffWordsWithSpace(old, next, { maxEditLength: 200 })
  if (!parts) return [[], []]
  const [goes, comes]: [[number, number][], [number, number][]] = [[], []]
  let [inOld, inNext, kept] = [0, 0, 0]
  for (const { value, added, removed } of parts) {
    if (added) comes.push([inNext, inNext + value.length])
    else if (removed) goes.push([inOld, inOld + value.length])
    else kept += value.trim().length
    if (!added) inOld += value.length
    if (!removed) inNext += value.length
  }
  return kept < KEPT * Math.max(1, Math.min(old.trim().length, next.trim().length)) ? [[], []] : [goes, comes]
}

/** Spaces at the end of an added line, which would be invisible. */
const trailing = (index: DiffIndex, line: number): Marks => {
  if (kindOf(index, line) !== 'added') return []
  const text = spelt(index, line)
  const end = text.trimEnd().length
  return end === text.length ? [] : [[end, text.length]]
}
