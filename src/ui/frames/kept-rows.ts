// How Ink's frame is put together, once for every row that it has not put together before.

/** What Ink's `Output` is, as far as it is used here. */
export interface InkOutput {
  width: number
  height: number
  write(x: number, y: number, text: string, options: { transformers: Transformer[] }): void
  clip(clip: Clip): void
  unclip(): void
  get(): { output: string; height: number }
}

export type Transformer = (line: string, index: number) => string

export interface Clip {
  readonly x1: number | undefined
  readonly x2: number | undefined
  readonly y1: number | undefined
  readonly y2: number | undefined
}

type InkOutputClass = new (options: { width: number; height: number }) => InkOutput

/** Widths of texts, and texts in their cells. */
type Caches = Readonly<Record<string, ReadonlyMap<string, unknown>>>

/** A line of a text at its place in a row, and the columns outside of which nothing of it is seen. */
interface Piece {
  readonly x: number
  readonly text: string
  readonly index: number
  readonly transformers: Transformer[]
  readonly x1: number | undefined
  readonly x2: number | undefined
}

/** Most widths and tokenised texts that are kept: some 20 screens of 200×50 that have nothing in common. */
const MOST = 4000

/** Parts with this between them cannot be taken for one another: Ink lets no control character but these through, and no text has it. */
const BETWEEN = '\u0000'

/**
 * Ink puts all cells of a frame together anew for every commit, which is most of the time between a key and its frame.
 * The class that is given here does so row by row, and takes a row as it was where the same texts lie at the same places.
 * What a row looks like is still decided by Ink's own class.
 */
export const keepingRows = (Output: InkOutputClass): InkOutputClass => {
  let caches: Caches | undefined
  let kept = new Map<string, string>()

  /** Ink's own output with what others of its kind have measured already. */
  const remembering = (width: number): InkOutput => {
    const output = new Output({ width, height: 1 })
    const own = output as unknown as { caches: Caches }
    if (caches === undefined || Object.values(caches).some(({ size }) => size > MOST)) caches = own.caches
    own.caches = caches
    return output
  }

  const draw = (pieces: readonly Piece[], width: number): string => {
    const row = remembering(width)
    for (const { x, text, index, transformers, x1, x2 } of pieces) {
      row.clip({ x1, x2, y1: undefined, y2: undefined })
      // The lines above and below lie outside of the row.
      row.write(x, -index, text, { transformers })
      row.unclip()
    }
    return row.get().output
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
      for (let index = Math.max(0, from - y); index < lines.length && y + index < to; index++) {
        const painted = transformers.reduce((line, transform) => transform(line, index), lines[index]!)
        this.#rows[y + index]!.push({ x, text, index, transformers, x1: clip?.x1, x2: clip?.x2 })
        this.#keys[y + index] += [x, clip?.x1, clip?.x2, index, lines.length > 1 ? text : '', painted, ''].join(BETWEEN)
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
        const row = shown.get(key) ?? kept.get(key) ?? draw(pieces, this.width)
        shown.set(key, row)
        return row
      })
      // Only what is on the screen: what has left it seldom comes back.
      kept = shown
      return { output: rows.join('\n'), height: this.height }
    }
  }
}

/** What two clips both let through, as Ink has it. */
const within = (outer: Clip | undefined, inner: Clip): Clip => {
  if (!outer) return inner
  const bound = (a: number | undefined, b: number | undefined, tighter: (a: number, b: number) => number): number | undefined =>
    a === undefined ? b : b === undefined ? a : tighter(a, b)
  return { x1: bound(outer.x1, inner.x1, Math.max), x2: bound(outer.x2, inner.x2, Math.min), y1: bound(outer.y1, inner.y1, Math.max), y2: bound(outer.y2, inner.y2, Math.min) }
}
