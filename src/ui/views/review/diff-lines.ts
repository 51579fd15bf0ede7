import { diffWordsWithSpace } from 'diff'
import type { Line } from '../../../../components/Lines.tsx'
import type { Code, CodeParts } from '../../../../components/base/code.ts'
import { cut, widthOf } from '../../../../components/base/fit.ts'
import { ours, type SafeText } from '../../../domain/words/safe-text.ts'
import { type DiffIndex, kindOf, type LineKind } from '../../../domain/words/unified-diff.ts'
import { breaksIn, type Pairs, spelt, type TextRows } from './diff-layout.ts'

// Rows of a diff's lines: one version, or both beside each other.

/** A file's lines as they are drawn: `lead` columns for a number and a sign, then `room` columns for the text. */
export interface Drawn {
  readonly index: DiffIndex
  readonly rows: TextRows
  readonly lead: number
  readonly room: number
  /** Whether a long line continues on the next row. */
  readonly wraps: boolean
}

/** The columns for the text of a line, or for that of each of two. */
export const roomFor = (lead: number, width: number, isSplit: boolean): number =>
  Math.max(10, (isSplit ? (width - BETWEEN) >> 1 : width) - lead)

/** Columns between both versions. */
const BETWEEN = 1

/** A row of the diff. */
export const textLine = (drawn: Drawn, line: number, piece: number): Line => {
  const { index, rows, lead } = drawn
  const kind = kindOf(index, line)
  if (kind === 'hunk' || kind === 'note')
    return { ...looks[kind], theirs: true, lead: ours(' '.repeat(lead)), text: pieceOf(drawn, line, piece).text }
  if (rows.pairs) return besideLine(drawn, rows.pairs, rows.pairs.of[line]!, piece)
  const isEqual = isUnchanged(rows, line)
  const code = codeOf(drawn, line, piece)
  return {
    ...(isEqual ? {} : looks[kind]),
    theirs: true,
    lead: code.lead,
    text: code.text,
    ...(code.marks.length === 0 ? {} : { marks: code.marks }),
    code: [code],
  }
}

const looks: Record<LineKind, Omit<Line, 'text'>> = {
  hunk: { colour: 'cyan', dim: true },
  context: {},
  added: { colour: 'green' },
  removed: { colour: 'red' },
  note: { dim: true },
}

/** The old version of a line, and beside it the new one. */
const besideLine = (drawn: Drawn, { left, right, shift }: Pairs, pair: number, piece: number): Line => {
  const sides = ([left, right] as const).map((side, n): Code => {
    const line = side[pair]!
    const code = line < 0 ? emptyOf(drawn) : codeOf(drawn, line, piece, n === 0 ? shift[pair]! : 0)
    return n === 0 ? code : { ...code, before: BESIDE_RULE }
  })
  const [old, next] = sides as [Code, Code]
  return {
    theirs: true,
    lead: old.lead,
    text: ours(`${old.text}${' '.repeat(Math.max(0, old.blanks))}${BESIDE_RULE}${next.lead}${next.text}`),
    code: sides,
  }
}

const BESIDE_RULE = ours('│')

const emptyOf = ({ lead, room }: Drawn): Code => ({
  lead: ours(' '.repeat(lead)),
  text: ours(''),
  marks: [],
  change: null,
  parts: [],
  blanks: room,
})

/** True for a line that differs in blanks only, while they are ignored. */
const isUnchanged = ({ equal }: TextRows, line: number): boolean => equal !== null && equal[line] !== -1

/** A piece of a line of code, with its number, its sign and its colours; `shift` leads to the old number. */
const codeOf = (drawn: Drawn, line: number, piece: number, shift = 0): Code => {
  const { index, rows, lead, room } = drawn
  const kind = kindOf(index, line)
  const isChange = (kind === 'added' || kind === 'removed') && !isUnchanged(rows, line)
  const { text, start, isCut } = pieceOf(drawn, line, piece)
  if (start === -1) return emptyOf(drawn)
  const number = piece === 0 ? String(index.numbers[line]! + (kind === 'context' ? shift : 0)) : '↪'
  const end = start + text.length - (isCut ? 1 : 0)
  const within = ([from, to]: readonly [number, number, ...unknown[]]): readonly [number, number] => [
    Math.max(0, from - start),
    Math.min(end, to) - start,
  ]
  const isSeen = ([from, to]: readonly [number, number, ...unknown[]]): boolean => from < to
  return {
    lead: ours(`${number.padStart(lead - 2)} ${isChange ? signs[kind] : ' '}`),
    text,
    marks: isChange ? marksOf(index, line).map(within).filter(isSeen) : [],
    change: isChange ? kind : null,
    parts: partsOf(index, line)
      .map((part) => [...within(part), part[2]] as const)
      .filter(isSeen),
    blanks: room - widthOf(text),
  }
}

export const signs: Record<LineKind, string> = { hunk: '', context: ' ', added: '+', removed: '-', note: '' }

/** A piece of a line, and where it starts; -1 after its end. */
const pieceOf = (
  { index, room, wraps }: Drawn,
  line: number,
  piece: number,
): { readonly text: SafeText; readonly start: number; readonly isCut?: boolean } => {
  const { whole, starts } = brokenLine(index, line, room)
  if (!wraps) return { text: cut(whole, room) as SafeText, start: 0, isCut: starts.length > 1 }
  const start = starts[piece]
  if (start === undefined) return { text: ours(''), start: -1 }
  return { text: whole.slice(start, starts[piece + 1]) as SafeText, start }
}

interface BrokenLine {
  readonly whole: SafeText
  readonly starts: readonly number[]
}

/** The length from which the last wrapping of a line is cached, because a screen shows many pieces of it. */
const LONG = 2000
let last: (BrokenLine & { readonly index: DiffIndex; readonly line: number; readonly width: number }) | undefined

const brokenLine = (index: DiffIndex, line: number, width: number): BrokenLine => {
  if (last?.index === index && last.line === line && last.width === width) return last
  const whole = spelt(index, line)
  const starts = breaksIn(whole, width)
  if (whole.length > LONG) last = { index, line, width, whole, starts }
  return { whole, starts }
}

// Determines the new and removed words of changed lines, for visible lines only.

/** Parts of a text: from (inclusive) and to (exclusive). */
type Marks = readonly (readonly [number, number])[]

/** The longest line that is compared word by word, and the longest run of such lines. */
const LONGEST = 1000
const MOST_LINES = 200

/** The words of a line that its counterpart lacks; empty if it has none, or if hardly a word is the same. */
const marksOf = (index: DiffIndex, line: number): Marks => {
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

// The coloured parts of a diff's lines, as far as they were found: src/ui/views/review/colours.ts finds them.

export const partsOf = (index: DiffIndex, line: number): CodeParts => found.get(index)?.get(line) ?? NONE

export const keepParts = (index: DiffIndex, line: number, parts: CodeParts): void => {
  const lines = found.get(index) ?? new Map<number, CodeParts>()
  found.set(index, lines)
  lines.set(line, parts)
}

/** Whether a line was looked at. */
export const isColoured = (index: DiffIndex, line: number): boolean => found.get(index)?.has(line) === true

const found = new WeakMap<DiffIndex, Map<number, CodeParts>>()
const NONE: CodeParts = []
