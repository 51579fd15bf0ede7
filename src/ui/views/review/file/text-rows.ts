import { spelledOut } from '../../../../domain/words/safe-text.ts'
import { contentOf, type DiffIndex } from '../../../../domain/words/unified-diff.ts'
import { widthOf } from '../../../../../components/base/fit.ts'

// Lays out the lines of a diff: each is shown completely, in as many rows as it needs. Of 100,000 lines only the
// visible ones are created; of a line of 10 MB only the visible piece.

export interface TextRows {
  readonly total: number
  readonly placeOf: (row: number) => { readonly line: number; readonly piece: number }
  readonly rowOf: (line: number, piece: number) => number
}

/** The rows of a diff at a width, cached as long as the diff. */
export const rowsOf = (index: DiffIndex, width: number): TextRows => {
  const known = remembered.get(index)
  if (known?.width === width) return known.rows
  const rows = layOut(index, width)
  remembered.set(index, { width, rows })
  return rows
}

/** The text of a line with hidden characters spelt out. */
export const spelt = (index: DiffIndex, line: number): string => spell(contentOf(index, line))

const spell = (content: string): string => {
  if (ascii.test(content)) return content
  return asciiAndTabs.test(content) ? content.replaceAll('\t', '    ') : spelledOut(content)[0]!
}

/** The beginnings of a text's pieces that fit into a width. Nothing is omitted between them. */
export const breaksIn = (text: string, width: number): readonly number[] => {
  if (ascii.test(text)) return Array.from({ length: Math.max(1, Math.ceil(text.length / width)) }, (_, n) => n * width)
  const starts = [0]
  let used = 0
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at)!
    const cells = code < FIRST_WIDE ? 1 : 2
    if (used + cells > width && used > 0) {
      starts.push(at)
      used = 0
    }
    used += cells
    at += code > 0xffff ? 2 : 1
  }
  return starts.length > 1 && text.length <= SHORT && widthOf(text) <= width ? [0] : starts
}

/** Longer texts are wrapped by the greatest possible width of their characters; shorter ones are measured. */
const SHORT = 2000
/** No character before this one takes two columns. */
const FIRST_WIDE = 0x1100

const ascii = /^[\x20-\x7e]*$/
const asciiAndTabs = /^[\t\x20-\x7e]*$/

const remembered = new WeakMap<DiffIndex, { readonly width: number; readonly rows: TextRows }>()

const layOut = (index: DiffIndex, width: number): TextRows => {
  const { count } = index
  const firsts = new Uint32Array(count + 1)
  const plain = asciiLines.test(index.text)
  for (let line = 0; line < count; line++) firsts[line + 1] = firsts[line]! + rowsIn(index, line, width, plain)
  const total = firsts[count]!
  if (total === count) return { total, placeOf: (row) => ({ line: row, piece: 0 }), rowOf: (line) => line }
  return {
    total,
    placeOf: (row) => {
      const line = lastAtMost(firsts, row, count)
      return { line, piece: row - firsts[line]! }
    },
    rowOf: (line, piece) => Math.min(firsts[line]! + piece, (firsts[line + 1] ?? 1) - 1),
  }
}

const asciiLines = /^[\n\x20-\x7e]*$/

const rowsIn = (index: DiffIndex, line: number, width: number, plain: boolean): number => {
  const length = index.ends[line]! - index.starts[line]!
  if (length <= 1) return 1
  if (plain) return Math.max(1, Math.ceil((length - 1) / width))
  const content = contentOf(index, line)
  if (content.length <= width && mostColumns(content) <= width) return 1
  return ascii.test(content) ? Math.max(1, Math.ceil(content.length / width)) : breaksIn(spell(content), width).length
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
