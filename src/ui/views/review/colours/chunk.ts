import { type DiffIndex, hunkOf, kindOf, neighbourHunk } from '../../../../domain/words/unified-diff.ts'
import type { CodeParts } from '../../../../../components/base/code.ts'
import { keepParts } from '../file/code-parts.ts'
import { spelt } from '../file/text-rows.ts'

// Colours a part of a diff at a time: a hunk, or 200 lines of a longer one. Both versions of it are read as code.

const LINES = 200
/** Longer lines are not code that a person wrote; they would take long. */
const LONGEST = 500
/** Characters of one version that are read at once: some ten milliseconds. */
const MOST = 24_000

/** Finds the parts of lines, such as the highlighter's. */
export type FindParts = (lines: readonly string[]) => readonly CodeParts[]

/** Colours the lines around one of them. */
export const colourAround = (index: DiffIndex, line: number, find: FindParts): void => {
  const [first, end] = chunkOf(index, line)
  for (let at = first; at < end; at++) keepParts(index, at, [])
  if (kindsIn(index, first, end).has('removed')) colourVersion(index, first, end, 'removed', find)
  colourVersion(index, first, end, 'added', find)
}

const chunkOf = (index: DiffIndex, line: number): readonly [first: number, end: number] => {
  const hunk = hunkOf(index, line)
  const next = neighbourHunk(index, hunk, 1)
  const first = hunk + Math.floor((line - hunk) / LINES) * LINES
  return [first, Math.min(next === -1 ? index.count : next, first + LINES)]
}

const kindsIn = (index: DiffIndex, first: number, end: number): ReadonlySet<string> =>
  new Set(Array.from({ length: end - first }, (_, n) => kindOf(index, first + n)))

const colourVersion = (
  index: DiffIndex,
  first: number,
  end: number,
  own: 'added' | 'removed',
  find: FindParts,
): void => {
  const [lines, texts]: [number[], string[]] = [[], []]
  let size = 0
  for (let line = first; line < end && size < MOST; line++) {
    const kind = kindOf(index, line)
    if (kind !== own && kind !== 'context') continue
    const length = index.ends[line]! - index.starts[line]!
    const text = length > LONGEST ? '' : spelt(index, line)
    lines.push(line)
    texts.push(text)
    size += text.length
  }
  for (const [n, parts] of find(texts).entries()) keepParts(index, lines[n]!, parts)
}
