import { widthOf } from '../../../../components/base/fit.ts'
import { ours, type SafeText, spelledOut } from '../../../domain/words/safe-text.ts'
import { contentOf, type DiffIndex, kindOf } from '../../../domain/words/unified-diff.ts'
import type { RowStyle } from './reading.ts'

// Lays out the lines of a diff: each is shown completely, in as many rows as it needs. Of 100,000 lines only the
// visible ones are created; of a line of 10 MB only the visible piece.

export interface TextRows {
  readonly total: number
  readonly placeOf: (row: number) => { readonly line: number; readonly piece: number }
  readonly rowOf: (line: number, piece: number) => number
  /** Both versions of a line, if they are beside each other. */
  readonly pairs: Pairs | null
  /** The other version of lines that count as unchanged. */
  readonly equal: Int32Array | null
}

/** The rows of a diff at a width of its text, cached as long as the diff. */
export const rowsOf = (index: DiffIndex, width: number, style: RowStyle): TextRows => {
  const known = remembered.get(index)
  if (known?.width === width && known.style === style) return known.rows
  const rows = layOut(index, width, style)
  remembered.set(index, { width, style, rows })
  return rows
}

/** The text of a line with hidden characters spelt out. */
export const spelt = (index: DiffIndex, line: number): SafeText => spell(contentOf(index, line))

const spell = (content: string): SafeText => {
  if (ascii.test(content)) return ours(content)
  return asciiAndTabs.test(content) ? ours(content.replaceAll('\t', '    ')) : spelledOut(content)[0]!
}

/** The beginnings of a text's pieces that fit into a width, at words if possible. Nothing is omitted between them. */
export const breaksIn = (text: string, width: number): readonly number[] => {
  if (ascii.test(text)) return text.length > SHORT ? everyNth(text, width) : wordsIn(text, width)
  const starts = [0]
  let [used, blank] = [0, 0]
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at)!
    const cells = code < FIRST_WIDE ? 1 : 2
    if (used + cells > width && used > 0) {
      const start = starts.at(-1)!
      if (text.length <= SHORT && code !== SPACE && blank > start + width / 3) at = blank
      starts.push(at)
      used = 0
      continue
    }
    used += cells
    at += code > 0xffff ? 2 : 1
    if (code === SPACE) blank = at
  }
  return starts.length > 1 && text.length <= SHORT && widthOf(text) <= width ? [0] : starts
}

const everyNth = (text: string, width: number): readonly number[] =>
  Array.from({ length: Math.max(1, Math.ceil(text.length / width)) }, (_, n) => n * width)

const wordsIn = (text: string, width: number): readonly number[] => {
  const starts = [0]
  for (let at = 0; text.length - at > width;) {
    const blank = text.charCodeAt(at + width) === SPACE ? 0 : text.lastIndexOf(' ', at + width - 1) + 1
    at = blank > at + width / 3 ? blank : at + width
    starts.push(at)
  }
  return starts
}

const SPACE = 32

/** Longer texts are wrapped by the greatest possible width of their characters; shorter ones are measured. */
const SHORT = 2000
/** No character before this one takes two columns. */
const FIRST_WIDE = 0x1100

const ascii = /^[\x20-\x7e]*$/
const asciiAndTabs = /^[\t\x20-\x7e]*$/

const remembered = new WeakMap<
  DiffIndex,
  { readonly width: number; readonly style: RowStyle; readonly rows: TextRows }
>()

const layOut = (index: DiffIndex, width: number, style: RowStyle): TextRows => {
  const equal = style.ignoresBlanks ? blankPairs(index) : null
  const pairs = style.isSplit ? pairsOf(index, equal) : null
  const { isPlain, starts, ends } = index
  const rowsFor = (line: number): number =>
    line < 0 ? 0 : !style.wraps || (isPlain && ends[line]! - starts[line]! <= width) ? 1 : rowsIn(index, line, width)
  const count = pairs ? pairs.count : index.count
  const firsts = new Uint32Array(count + 1)
  let isEven = true
  let first = 0
  for (let at = 0; at < count; at++) {
    const rows = pairs
      ? Math.max(rowsFor(pairs.left[at]!), rowsFor(pairs.right[at]!))
      : equal && kindOf(index, at) === 'removed' && equal[at] !== -1
        ? 0
        : rowsFor(at)
    isEven &&= rows === 1
    first += rows
    firsts[at + 1] = first
  }
  const total = firsts[count]!
  const lineAt = (at: number): number => (pairs ? (pairs.right[at]! >= 0 ? pairs.right[at]! : pairs.left[at]!) : at)
  return {
    total,
    pairs,
    equal,
    placeOf: (row) => {
      const at = isEven ? row : lastAtMost(firsts, row, count)
      return { line: lineAt(at), piece: row - firsts[at]! }
    },
    rowOf: (line, piece) => {
      const at = pairs ? pairs.of[line]! : line
      return Math.max(firsts[at]!, Math.min(firsts[at]! + piece, (firsts[at + 1] ?? 1) - 1))
    },
  }
}

const rowsIn = (index: DiffIndex, line: number, width: number): number => {
  const length = index.ends[line]! - index.starts[line]!
  if (length <= 1) return 1
  if (index.isPlain && (length - 1 <= width || length - 1 > SHORT)) return Math.max(1, Math.ceil((length - 1) / width))
  const content = contentOf(index, line)
  if (content.length <= width && mostColumns(content) <= width) return 1
  return breaksIn(spell(content), width).length
}

/** An upper bound of the columns of a spelt-out line, which is cheaper than spelling it out. */
const mostColumns = (content: string): number => {
  let columns = 0
  for (let at = 0; at < content.length; at++) {
    const code = content.charCodeAt(at)
    columns += code >= 0x20 && code <= 0x7e ? 1 : code === TAB ? 4 : LONGEST_NUMBER
  }
  return columns
}

const TAB = 9
/** Columns of ⟨10FFFF⟩. */
const LONGEST_NUMBER = 8

/** The last of the lines that begins at this row or before it. */
const lastAtMost = (firsts: Uint32Array, row: number, count: number): number => {
  let [low, high] = [0, count - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (firsts[middle]! <= row) low = middle
    else high = middle - 1
  }
  return low
}

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
const pairsOf = (index: DiffIndex, equal: Int32Array | null): Pairs => {
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

// Finds lines that differ from their other version in blanks only.

/** A longer line counts as changed. */
const LONGEST = 2000

/** The other version of each line that differs in blanks only; -1 for the others. */
const blankPairs = (index: DiffIndex): Int32Array => {
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
