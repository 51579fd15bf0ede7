import stringWidth from 'string-width'
import type { SafeText } from '../../src/domain/words/safe-text.ts'

// Fits text into columns of the terminal, where a character takes none, one or two.

let segmenter: Intl.Segmenter | undefined

/**
 * The graphemes of a text with their positions. The segmenter's tables are loaded for the first text, not at the start.
 */
export const graphemesOf = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })).segment(text)

const ascii = /^[\x20-\x7e]*$/

export const widthOf = (text: string): number => (ascii.test(text) ? text.length : stringWidth(text))

/** `text` in exactly `width` columns: truncated with an ellipsis, or padded with spaces. */
export const fit = (text: string, width: number, align: 'left' | 'right' = 'left'): SafeText => {
  if (width <= 0) return '' as SafeText
  const whole = cut(text, width)
  const space = ' '.repeat(width - widthOf(whole))
  return (align === 'left' ? whole + space : space + whole) as SafeText
}

/** A reason with less room is omitted. */
const LEAST = 16

/** Columns for a reason after a title that leaves so many; 0 if they are too few. */
export const roomForReason = (reason: SafeText, room: number): number =>
  reason !== '' && room >= Math.min(LEAST, widthOf(reason)) ? room : 0

/** At most `width` columns of `text`. */
export const cut = (text: string, width: number): string => {
  if (text.length <= lookedAt(width) && widthOf(text) <= width) return text
  if (width <= 1) return width === 1 ? '…' : ''
  return `${head(text.slice(0, lookedAt(width)), width - 1)}…`
}

/** The end of `text` in at most `width` columns, where the person types. */
export const tail = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  const pieces = [...graphemesOf(text.slice(-lookedAt(width)))].map(({ segment }) => segment)
  let used = 1
  let from = pieces.length
  while (from > 0 && used + widthOf(pieces[from - 1]!) <= width) used += widthOf(pieces[--from]!)
  return `…${pieces.slice(from).join('')}`
}

/**
 * The most characters that are measured for one line, because measuring all of a long text for each of its lines would
 * be slow.
 */
const lookedAt = (width: number): number => 8 * width + 64

/** `text` in lines of at most `width` columns, broken at spaces if there are any. */
export const fold = (text: SafeText, width: number): readonly SafeText[] => {
  const lines: string[] = []
  const most = lookedAt(width)
  let rest: string = text
  while (width > 0 && (rest.length > most || widthOf(rest) > width)) {
    const piece = head(rest.slice(0, most), width)
    const space = piece.lastIndexOf(' ')
    const taken = space > width / 3 ? piece.slice(0, space) : piece || [...rest][0]!
    lines.push(taken)
    rest = rest.slice(taken.length).trimStart()
  }
  return [...lines, rest] as unknown as readonly SafeText[]
}

const head = (text: string, width: number): string => {
  if (ascii.test(text)) return text.slice(0, width)
  let used = 0
  let end = 0
  for (const { segment, index } of graphemesOf(text)) {
    used += stringWidth(segment)
    if (used > width) break
    end = index + segment.length
  }
  return text.slice(0, end)
}
