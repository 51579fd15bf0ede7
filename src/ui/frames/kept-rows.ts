import { makeInkDrawing, MOST, type Piece } from './ink-drawing.ts'
import type { Clip, InkOutput, InkOutputClass, Transformer } from './ink-output.ts'
import { endsItsStyles } from './narrow.ts'
import { makeComposition } from './row-composition.ts'

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
