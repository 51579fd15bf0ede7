import type { SafeText } from '../src/domain/safe-text.ts'
import { fold, widthOf } from './fit.ts'
import type { PaletteRow } from './Palette.tsx'

/** Columns before the text of a row, and before the lines in which the chosen one is read whole. */
const TEXT_AT = 13
const WHOLE_AT = 3

/** What is seen of the palette: the first row, how many of them, and the whole text of the chosen one where its row is cut. */
export interface PaletteLines {
  readonly from: number
  readonly seen: number
  readonly whole: readonly string[]
}

/** The whole text covers the last lines of the list, and the list scrolls as if every row had as long a one: so no row moves by it. */
export const paletteLines = (rows: readonly PaletteRow[], at: number, width: number, height: number): PaletteLines => {
  const whole = wholeOf(rows[at], width, height)
  const most = Math.max(whole.length, wholeOf(longest(rows), width, height).length)
  return { from: Math.max(0, Math.min(at + 1, rows.length) - (height - most)), seen: Math.min(rows.length, height - whole.length), whole }
}

/** With why it cannot be done now. */
export const chosenText = ({ help, blocked }: PaletteRow): SafeText => (blocked === null ? help : (`${help} (${blocked})` as SafeText))

const wholeOf = (row: PaletteRow | undefined, width: number, height: number): readonly string[] => {
  if (!row || widthOf(chosenText(row)) <= width - 2 - TEXT_AT) return []
  const lines = fold(chosenText(row), Math.max(1, width - 2 - WHOLE_AT))
  const most = Math.floor(height / 2)
  if (most < 2) return []
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), lines.slice(most - 1).join(' ')]
}

/** By its characters: to measure every row at each frame would be felt. */
const longest = (rows: readonly PaletteRow[]): PaletteRow | undefined => {
  let found = rows[0]
  for (const row of rows) if (chosenText(row).length > chosenText(found!).length) found = row
  return found
}
