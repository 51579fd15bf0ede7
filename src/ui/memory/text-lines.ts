import type { Line } from '../../../components/Lines.tsx'
import type { ColourName } from '../../../components/theme.ts'
import { heading, written } from '../detail-lines.ts'
import { shownUntil } from '../folded.ts'
import { ours } from '../../domain/safe-text.ts'
import { memoryText } from '../../text/memory.ts'

/** A text folded to the width. Of one that is longer than can be shown it is told where the whole lies. */
export const longText = (text: string, width: number, whole: string): readonly Line[] => {
  const end = shownUntil(text)
  if (end === text.length) return written(text, width)
  return [...written(text.slice(0, end), width), { text: ours(memoryText.longer(text.length - end, whole)), dim: true }]
}

export const section = (name: string, lines: readonly Line[], colour?: ColourName): readonly Line[] => (lines.length === 0 ? [] : [...heading(name, colour), ...lines])

/** Remembers the lines that were made of something for a width: a record is drawn anew at every change of anything. */
export const rememberedLines = <T extends object>(make: (of: T, width: number) => readonly Line[]): ((of: T, width: number) => readonly Line[]) => {
  const known = new WeakMap<T, { readonly width: number; readonly lines: readonly Line[] }>()
  return (of, width) => {
    const before = known.get(of)
    if (before?.width === width) return before.lines
    const lines = make(of, width)
    known.set(of, { width, lines })
    return lines
  }
}
