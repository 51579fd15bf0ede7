import type { Line } from '../../components/Lines.tsx'

// What is open is drawn anew with every key, and folding a long text takes long.

/** Characters from which on a text is worth remembering, and texts that are. */
const LONG = 1000
const MOST = 40

/** Characters of one text that are shown, and how many of them may be other than ASCII: folding those costs some 15 µs each. */
const longest = { characters: 200_000, wide: 30_000 } as const

/** Where a text that nobody has to read whole is cut off; its length where it is not. */
export const shownUntil = (text: string): number => {
  const end = Math.min(text.length, longest.characters)
  for (let at = 0, wide = 0; at < end; at++) if (text.charCodeAt(at) > 0x7e && ++wide > longest.wide) return at
  return end
}

/** Remembers the lines that were made of long texts at a width, those that were wanted last. */
export const rememberedTexts = (make: (text: string, width: number) => readonly Line[]): ((text: string, width: number) => readonly Line[]) => {
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
