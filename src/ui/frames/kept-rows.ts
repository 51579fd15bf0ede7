import { endsItsStyles, narrowWidth } from './narrow.ts'

// Assembles Ink's frames and reuses rows that were assembled before.

/** A separator that makes keys unambiguous: Ink removes this control character, and no text contains it. */
const BETWEEN = '\u0000'

/**
 * Ink assembles all cells of a frame again for every commit, which takes most of the time between a key and its frame.
 * This class reuses a row if the same texts are at the same places, and otherwise a text as it was on any row: a list
 * that scrolls has one new line, not fifty. Ink's own class still determines the appearance of a text.
 */
export const keepingRows = (Output: InkOutputClass): InkOutputClass => {
  // In one piece because the class extends one that is only known here, and shares what it remembers with no other.
  const compose = makeComposition(makeInkDrawing(Output))
  let keptRows = new Map<string, string>()
  const linesApart = new Map<string, boolean>()

  /** True if no line of a text affects the style of the next. */
  const areApart = (text: string, lines: readonly string[]): boolean => {
    let apart = linesApart.get(text)
    if (apart === undefined) {
      if (linesApart.size >= MOST) linesApart.clear()
      apart = lines.every(endsItsStyles)
      linesApart.set(text, apart)
    }
    return apart
  }

  return class implements InkOutput {
    width: number
    height: number
    readonly #rows: Piece[][]
    readonly #keys: string[]
    readonly #clips: (Clip | undefined)[] = []

    constructor({ width, height }: { width: number; height: number }) {
      this.width = width
      this.height = height
      this.#rows = Array.from({ length: height }, () => [])
      this.#keys = Array.from({ length: height }, () => '')
    }

    write(x: number, y: number, text: string, { transformers }: { transformers: Transformer[] }): void {
      if (text === '') return
      const clip = this.#clips.at(-1)
      const [from, to] = [Math.max(0, clip?.y1 ?? 0), Math.min(this.height, clip?.y2 ?? Infinity)]
      const lines = text.includes('\n') ? text.split('\n') : [text]
      const apart = lines.length === 1 || areApart(text, lines)
      for (let index = Math.max(0, from - y); index < lines.length && y + index < to; index++) {
        const painted = transformers.reduce((line, transform) => transform(line, index), lines[index]!)
        const key = apart ? painted : `${index}${BETWEEN}${text}${BETWEEN}${painted}`
        this.#rows[y + index]!.push({ x, text, index, transformers, x1: clip?.x1, x2: clip?.x2, painted, apart, key })
        this.#keys[y + index] += [x, clip?.x1, clip?.x2, lines.length, key, ''].join(BETWEEN)
      }
    }

    clip(clip: Clip): void {
      this.#clips.push(within(this.#clips.at(-1), clip))
    }

    unclip(): void {
      this.#clips.pop()
    }

    get(): { output: string; height: number } {
      const shown = new Map<string, string>()
      const rows = this.#rows.map((pieces, y) => {
        const key = `${this.width}${BETWEEN}${this.#keys[y]}`
        const row = shown.get(key) ?? keptRows.get(key) ?? compose(pieces, this.width)
        shown.set(key, row)
        return row
      })
      // Only rows on the screen: a row that has left it seldom comes back.
      keptRows = shown
      return { output: rows.join('\n'), height: this.height }
    }
  }
}

/** A line of a text at its place in a row, and its clip. */
interface Piece {
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
const MOST = 4000

/** The intersection of two clips, as Ink computes it. */
const within = (outer: Clip | undefined, inner: Clip): Clip => {
  if (!outer) return inner
  const bound = (
    a: number | undefined,
    b: number | undefined,
    tighter: (a: number, b: number) => number,
  ): number | undefined => (a === undefined ? b : b === undefined ? a : tighter(a, b))
  return {
    x1: bound(outer.x1, inner.x1, Math.max),
    x2: bound(outer.x2, inner.x2, Math.min),
    y1: bound(outer.y1, inner.y1, Math.max),
    y2: bound(outer.y2, inner.y2, Math.min),
  }
}

/** Composes rows of texts that were drawn before, wherever they were. */
const makeComposition = ({ draw, drawAlone, cellsOf }: InkDrawing) => {
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

/** A completely visible piece, with its first and last column. */
interface Span {
  readonly from: number
  readonly to: number
  readonly piece: Piece
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

/** Draws pieces by Ink's own class, which determines the appearance of a text. */
interface InkDrawing {
  readonly draw: (pieces: readonly Piece[], width: number) => string
  /** One piece in all of its cells, also if the last are blank; undefined if Ink counts them differently. */
  readonly drawAlone: (piece: Piece, width: number) => string | undefined
  /**
   * The number of cells that Ink fills with a line; undefined for characters without a width, which Ink counts
   * inconsistently.
   */
  readonly cellsOf: (painted: string) => number | undefined
}

const makeInkDrawing = (Output: InkOutputClass): InkDrawing => {
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

/** Ink's caches of texts. */
interface Caches {
  readonly widths: ReadonlyMap<string, number>
  readonly blockWidths: ReadonlyMap<string, number>
  readonly styledChars: ReadonlyMap<string, unknown>
  getStyledChars(line: string): readonly { readonly value: string }[]
  getStringWidth(text: string): number
}

/** Follows a piece while it is drawn, so that Ink does not remove blanks at its end. */
const MARKER = '|'

// The part of Ink that assembles frames, as far as it is used here.

export interface InkOutput {
  width: number
  height: number
  write(x: number, y: number, text: string, options: { transformers: Transformer[] }): void
  clip(clip: Clip): void
  unclip(): void
  get(): { output: string; height: number }
}

export type Transformer = (line: string, index: number) => string

interface Clip {
  readonly x1: number | undefined
  readonly x2: number | undefined
  readonly y1: number | undefined
  readonly y2: number | undefined
}

type InkOutputClass = new (options: { width: number; height: number }) => InkOutput
