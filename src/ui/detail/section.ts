import { ours, safeText } from '../../domain/safe-text.ts'
import type { Line } from '../../../components/Lines.tsx'
import type { ColourName } from '../../../components/theme.ts'
import { paragraph, widthIn, written } from '../detail-lines.ts'
import type { ConsoleState } from '../state.ts'
import type { DetailSection, Part, Parts } from './state.ts'
import { commonText } from '../../text/common.ts'

/** A section of one text that others wrote; none where there is no text. */
export const text = (id: string, title: string, value: string | null, width: number, colour?: ColourName): readonly DetailSection[] =>
  value === null || value.trim() === '' ? [] : [{ id, title, ...(colour === undefined ? {} : { colour }), lines: () => written(value, width) }]

/** The lines of a part once it was read; until then that it is being read, or why it cannot be. */
export const loaded = <P extends Part>(state: ConsoleState, part: P, lines: (value: Parts[P]) => readonly Line[]): readonly Line[] => {
  const problem = state.opened.problems[part]
  if (problem !== undefined) return paragraph(problem, widthIn(state)).map((line): Line => ({ ...line, colour: 'yellow' }))
  const value = state.opened.parts[part]
  return value === undefined ? [{ text: ours(commonText.reading), dim: true }] : lines(value)
}

/** Lines of a section that are made of a list: nobody reads more, and making them would be felt. */
const MOST = 3000

/** The lines of a list up to where nobody reads on, then how many of it are left. */
export const upTo = <T>(list: readonly T[], linesOf: (one: T) => readonly Line[]): readonly Line[] => {
  const lines: Line[] = []
  let at = 0
  for (; at < list.length && lines.length < MOST; at++) for (const line of linesOf(list[at]!)) lines.push(line)
  if (at < list.length) lines.push({ text: ours(commonText.more(list.length - at)), dim: true })
  return lines
}

/** A path or a name on a line of its own. */
export const plainLine = (words: string): Line => ({ text: safeText(words) })
