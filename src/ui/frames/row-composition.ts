import { type InkDrawing, MOST, type Piece } from './ink-drawing.ts'
import { endsItsStyles, narrowWidth } from './narrow.ts'

/** A completely visible piece, with its first and last column. */
interface Span {
  readonly from: number
  readonly to: number
  readonly piece: Piece
}

/** Composes rows of texts that were drawn before, wherever they were. */
export const makeComposition = ({ draw, drawAlone, cellsOf }: InkDrawing) => {
  /** Two generations of drawn texts: an unused one is dropped after as many again have been drawn. */
  let [texts, older] = [new Map<string, string>(), new Map<string, string>()]

  const textOf = ({ from, to, piece }: Span): string | undefined => {
    const known = texts.get(piece.key)
    if (known !== undefined) return known
    // Ink splits a narrow text into characters and joins them again unchanged.
    const isKept = () => piece.apart && narrowWidth(piece.painted) !== undefined && endsItsStyles(piece.painted)
    const text = older.get(piece.key) ?? (isKept() ? piece.painted : drawAlone(piece, to - from))
    if (text === undefined) return undefined
    if (texts.size >= MOST) [texts, older] = [new Map<string, string>(), texts]
    texts.set(piece.key, text)
    return text
  }

  /** A row of pieces that do not touch each other, each as it was drawn before. */
  const join = (spans: readonly Span[]): string | undefined => {
    let row = ''
    let at = 0
    for (const span of spans) {
      const text = textOf(span)
      if (text === undefined) return undefined
      row += ' '.repeat(span.from - at) + text
      at = span.to
    }
    return row.trimEnd()
  }

  return (pieces: readonly Piece[], width: number): string => {
    const spans = spansOf(pieces, width, cellsOf)
    return (spans && join(spans)) ?? draw(pieces, width)
  }
}

/**
 * The places of the pieces; undefined if one is truncated, covers another, or has cells whose visibility depends on
 * its clip.
 */
const spansOf = (
  pieces: readonly Piece[],
  width: number,
  cellsOf: InkDrawing['cellsOf'],
): readonly Span[] | undefined => {
  const spans: Span[] = []
  for (const piece of pieces) {
    const cells = cellsOf(piece.painted)
    if (cells === undefined) return undefined
    if (cells === 0) continue
    const { x: from, x1 = 0, x2 = width } = piece
    const to = from + cells
    if (from < Math.max(0, x1) || to > Math.min(width, x2)) return undefined
    spans.push({ from, to, piece })
  }
  spans.sort((one, other) => one.from - other.from)
  return spans.every(({ from }, at) => at === 0 || spans[at - 1]!.to <= from) ? spans : undefined
}
