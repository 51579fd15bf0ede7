import type { Line } from '../../../components/Lines.tsx'

// Open views are drawn with every key, and folding a long text takes long.

/** The length from which a text is cached, and the number of cached texts. */
const LONG = 1000
const MOST = 40

/**
 * The most characters of a text that are shown, and how many of them may be other than ASCII: folding those costs some
 * 15 µs each.
 */
const longest = { characters: 200_000, wide: 30_000 } as const

/** The position at which a long text is cut off; its length if it is not. */
export const shownUntil = (text: string): number => {
  const end = Math.min(text.length, longest.characters)
  for (let at = 0, wide = 0; at < end; at++) if (text.charCodeAt(at) > 0x7e && ++wide > longest.wide) return at
  return end
}

/** Caches the lines of long texts by width, the most recently used ones. */
export const rememberedTexts = (
  make: (text: string, width: number) => readonly Line[],
): ((text: string, width: number) => readonly Line[]) => {
  const known = new Map<string, { readonly width: number; readonly lines: readonly Line[] }>()
  return (text, width) => {
    if (text.length < LONG) return make(text, width)
    const before = known.get(text)
    const made = before?.width === width ? before : { width, lines: make(text, width) }
    known.delete(text)
    known.set(text, made)
    if (known.size > MOST) known.delete(known.keys().next().value!)
    return made.lines
  }
}
