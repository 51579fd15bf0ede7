import type { Line } from '../../../../components/Lines.tsx'
import type { ColourName } from '../../../../components/base/theme.ts'
import { heading, shownUntil, written } from '../../rows/lines.ts'
import { ours } from '../../../domain/words/safe-text.ts'
import { memoryText } from '../../../text/memory.ts'

/** A text folded to the width. Of a very long one it states where the whole text is. */
export const longText = (text: string, width: number, whole: string): readonly Line[] => {
  const end = shownUntil(text)
  if (end === text.length) return written(text, width)
  return [...written(text.slice(0, end), width), { text: ours(memoryText.longer(text.length - end, whole)), dim: true }]
}

export const section = (name: string, lines: readonly Line[], colour?: ColourName): readonly Line[] =>
  lines.length === 0 ? [] : [...heading(name, colour), ...lines]

/** Caches the lines of an object by width, because a record is drawn again at every change. */
export const rememberedLines = <T extends object>(
  make: (of: T, width: number) => readonly Line[],
): ((of: T, width: number) => readonly Line[]) => {
  const known = new WeakMap<T, { readonly width: number; readonly lines: readonly Line[] }>()
  return (of, width) => {
    const before = known.get(of)
    if (before?.width === width) return before.lines
    const lines = make(of, width)
    known.set(of, { width, lines })
    return lines
  }
}
