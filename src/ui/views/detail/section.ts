import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import type { Line } from '../../../../components/Lines.tsx'
import type { Look } from '../../../../components/base/look.ts'
import type { ColourName } from '../../../../components/base/theme.ts'
import { paragraph, widthIn, written } from '../../rows/lines.ts'
import type { ConsoleState } from '../../core/state.ts'
import type { DetailSection, Part, Parts } from './state.ts'
import { commonText } from '../../../text/common.ts'

/** A section with one foreign text; none without text. */
export const text = (
  id: string,
  title: string,
  value: string | null,
  width: number,
  colour?: ColourName,
): readonly DetailSection[] =>
  value === null || value.trim() === ''
    ? []
    : [{ id, title, ...(colour === undefined ? {} : { colour }), lines: () => written(value, width) }]

/** The lines of a loaded part; before that a note that it is loading, or why it failed. */
export const loaded = <P extends Part>(
  state: ConsoleState,
  part: P,
  lines: (value: Parts[P]) => readonly Line[],
): readonly Line[] => {
  const problem = state.opened.problems[part]
  if (problem !== undefined)
    return paragraph(problem, widthIn(state)).map((line): Line => ({ ...line, colour: 'yellow' }))
  const value = state.opened.parts[part]
  return value === undefined ? [{ text: ours(commonText.reading), dim: true }] : lines(value)
}

/** The most lines of a section with a list: a person reads no more, and creating them would be slow. */
const MOST = 3000

/** The lines of a list up to that limit, then the number of remaining ones. */
export const upTo = <T>(list: readonly T[], linesOf: (one: T) => readonly Line[]): readonly Line[] => {
  const lines: Line[] = []
  let at = 0
  for (; at < list.length && lines.length < MOST; at++) for (const line of linesOf(list[at]!)) lines.push(line)
  if (at < list.length) lines.push({ text: ours(commonText.more(list.length - at)), dim: true })
  return lines
}

/** A path or a name on a separate line. */
export const plainLine = (words: string): Line => ({ text: safeText(words) })

/** The title of a detail, and the facts below it. */
export type Titled = readonly [SafeText, readonly Line[]]

/** A state as a line: its mark, its word and more about it. */
export const standing = (look: Look, more = ''): Line => ({
  text: ours(`${look.mark} ${look.word}${safeText(more) === '' ? '' : ` ${safeText(more)}`}`),
  colour: look.colour,
})
