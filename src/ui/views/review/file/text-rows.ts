import { ours, type SafeText, spelledOut } from '../../../../domain/words/safe-text.ts'
import { contentOf, type DiffIndex, kindOf } from '../../../../domain/words/unified-diff.ts'
import { widthOf } from '../../../../../components/base/fit.ts'

import { blankPairs } from './blank-pairs.ts'
import type { RowStyle } from './row-style.ts'
import { type Pairs, pairsOf } from './split-rows.ts'

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
