import chalk from 'chalk'
import { ours, type SafeText } from '../../src/domain/words/safe-text.ts'
import type { CodePart, DiffColours, Ground } from './theme.ts'

// Paints lines of code. One text comes out, because a page has thousands of parts.

/** A line of code, or one of two beside each other. */
export interface Code {
  /** Precedes it without its ground. */
  readonly before?: SafeText
  /** Its number and its sign. */
  readonly lead: SafeText
  readonly text: SafeText
  /** Words that differ from the other version: from (inclusive) and to (exclusive). */
  readonly marks: Marks
  readonly change: 'added' | 'removed' | null
  /** Parts of the text with a colour of their own, in their order: from (inclusive) and to (exclusive). */
  readonly parts: CodeParts
  /** Blanks after the text, so that the ground reaches the edge. */
  readonly blanks: number
}

export type CodeParts = readonly (readonly [from: number, to: number, part: CodePart])[]

/** The colours for code, if the terminal has them: with sixteen a changed line has one colour, as without any. */
export const codeColours = (diff: DiffColours | null): DiffColours | null => (chalk.level >= COLOURS_256 ? diff : null)

const [COLOURS_256, ALL_COLOURS] = [2, 3]

/** A line with its number and sign, the parts of its code, and its marked words. */
export const paintedCode = (
  colours: DiffColours,
  { before = ours(''), lead, text, marks, change, parts, blanks }: Code,
): string => {
  let painted = change === null ? lead : chalk.ansi256(colours.text)(lead)
  for (const [from, to, part, marked] of pieces(text, parts, marks)) {
    const piece = text.slice(from, to)
    const number = part === null ? (change === null ? null : colours.text) : colours.parts[part]
    const inColour = number === null ? piece : chalk.ansi256(number)(piece)
    painted += marked && change !== null ? paintedWords(inColour, colours, change) : inColour
  }
  const whole = painted + ' '.repeat(Math.max(0, blanks))
  return before + (change === null ? whole : onGround(whole, colours[change]))
}

const paintedWords = (piece: string, { addedWords, removedWords }: DiffColours, change: 'added' | 'removed'): string =>
  chalk.level >= ALL_COLOURS
    ? chalk.bold(chalk.bgHex(change === 'added' ? addedWords : removedWords)(piece))
    : chalk.inverse(piece)

const onGround = (text: string, { full, cube }: Ground): string =>
  chalk.level >= ALL_COLOURS ? chalk.bgHex(full)(text) : chalk.bgAnsi256(cube)(text)

export type Marks = readonly (readonly [number, number])[]

/** The text cut where a part or a mark begins or ends. */
const pieces = (
  { length }: string,
  parts: CodeParts,
  marks: Marks,
): readonly (readonly [from: number, to: number, part: CodePart | null, marked: boolean])[] => {
  const cuts = [...new Set([0, length, ...parts.flatMap(([a, b]) => [a, b]), ...marks.flatMap(([a, b]) => [a, b])])]
    .filter((at) => at >= 0 && at <= length)
    .sort((a, b) => a - b)
  let [part, mark] = [0, 0]
  return cuts.slice(0, -1).map((from, n) => {
    while (part < parts.length && parts[part]![1] <= from) part++
    while (mark < marks.length && marks[mark]![1] <= from) mark++
    return [
      from,
      cuts[n + 1]!,
      part < parts.length && parts[part]![0] <= from ? parts[part]![2] : null,
      mark < marks.length && marks[mark]![0] <= from,
    ] as const
  })
}
