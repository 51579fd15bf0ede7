import type { InkOutput, InkOutputClass, Transformer } from './ink-output.ts'
import { narrowWidth } from './narrow.ts'

/** Ink's caches of texts. */
interface Caches {
  readonly widths: ReadonlyMap<string, number>
  readonly blockWidths: ReadonlyMap<string, number>
  readonly styledChars: ReadonlyMap<string, unknown>
  getStyledChars(line: string): readonly { readonly value: string }[]
  getStringWidth(text: string): number
}

/** A line of a text at its place in a row, and its clip. */
export interface Piece {
  readonly x: number
  readonly text: string
  readonly index: number
  readonly transformers: Transformer[]
  readonly x1: number | undefined
  readonly x2: number | undefined
  /** The line with its styles. */
  readonly painted: string
  /** True if the lines before it do not affect its style. */
  readonly apart: boolean
  /** Its appearance depends on this key only, wherever it is. */
  readonly key: string
}

/** The most cached widths, tokenised texts and drawn texts: some 20 screens of 200×50 that have nothing in common. */
export const MOST = 4000

/** Follows a piece while it is drawn, so that Ink does not remove blanks at its end. */
const MARKER = '|'

/** Draws pieces by Ink's own class, which determines the appearance of a text. */
export interface InkDrawing {
  readonly draw: (pieces: readonly Piece[], width: number) => string
  /** One piece in all of its cells, also if the last are blank; undefined if Ink counts them differently. */
  readonly drawAlone: (piece: Piece, width: number) => string | undefined
  /**
   * The number of cells that Ink fills with a line; undefined for characters without a width, which Ink counts
   * inconsistently.
   */
  readonly cellsOf: (painted: string) => number | undefined
}

export const makeInkDrawing = (Output: InkOutputClass): InkDrawing => {
  let caches: Caches | undefined

  /** Ink's own output with the measurements of earlier instances. */
  const remembering = (width: number): { output: InkOutput; caches: Caches } => {
    const output = new Output({ width, height: 1 })
    const own = output as unknown as { caches: Caches }
    if (caches === undefined || [caches.widths, caches.blockWidths, caches.styledChars].some(({ size }) => size > MOST))
      caches = own.caches
    own.caches = caches
    return { output, caches }
  }

  const draw = (pieces: readonly Piece[], width: number): string => {
    const { output } = remembering(width)
    for (const { x, text, index, transformers, x1, x2 } of pieces) {
      output.clip({ x1, x2, y1: undefined, y2: undefined })
      // The lines above and below are outside of the row.
      output.write(x, -index, text, { transformers })
      output.unclip()
    }
    return output.get().output
  }

  const drawAlone = ({ text, index, transformers }: Piece, width: number): string | undefined => {
    const { output } = remembering(width + MARKER.length)
    output.write(0, -index, text, { transformers })
    output.write(width, 0, MARKER, { transformers: [] })
    const drawn = output.get().output
    return drawn.endsWith(MARKER) ? drawn.slice(0, -MARKER.length) : undefined
  }

  const cellsOf = (painted: string): number | undefined => {
    const columns = narrowWidth(painted)
    if (columns !== undefined) return columns
    caches ??= remembering(0).caches
    let cells = 0
    for (const { value } of caches.getStyledChars(painted)) {
      const width = caches.getStringWidth(value)
      if (width === 0) return undefined
      cells += width
    }
    return cells
  }

  return { draw, drawAlone, cellsOf }
}
