import type { SafeText } from '../../src/domain/words/safe-text.ts'
import { fold, widthOf } from '../base/fit.ts'

export interface PaletteRow {
  readonly keys: SafeText
  readonly help: SafeText
  /** Why it cannot be done now. */
  readonly blocked: SafeText | null
}

/** Columns of the keys of a row: few on a narrow screen. */
export const keyColumns = (width: number): number => (width < 62 ? 6 : 10)

/** Columns before the text of a row without its keys, and before the lines with the complete text of the selected one. */
const [AROUND, WHOLE_AT] = [3, 3] as const

/**
 * The visible part of the palette: the first row, the number of rows, and the complete text of the selected one if its
 * row is truncated.
 */
export interface PaletteLines {
  readonly from: number
  readonly seen: number
  readonly whole: readonly string[]
}

/**
 * The complete text covers the last lines of the list, and the list scrolls as if every text had the same length, so
 * that no row moves because of it.
 */
export const paletteLines = (rows: readonly PaletteRow[], at: number, width: number, height: number): PaletteLines => {
  const whole = wholeOf(rows[at], width, height)
  const most = Math.max(whole.length, wholeOf(longest(rows), width, height).length)
  return {
    from: Math.max(0, Math.min(at + 1, rows.length) - (height - most)),
    seen: Math.min(rows.length, height - whole.length),
    whole,
  }
}

/** With the reason why it cannot be run now. */
export const chosenText = ({ help, blocked }: PaletteRow): SafeText =>
  blocked === null ? help : (`${help} (${blocked})` as SafeText)

const wholeOf = (row: PaletteRow | undefined, width: number, height: number): readonly string[] => {
  if (!row || widthOf(chosenText(row)) <= width - 2 - AROUND - Math.max(keyColumns(width), widthOf(row.keys))) return []
  const lines = fold(chosenText(row), Math.max(1, width - 2 - WHOLE_AT))
  const most = Math.floor(height / 2)
  if (most < 2) return []
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), lines.slice(most - 1).join(' ')]
}

/** By characters, because measuring every row in each frame would be slow. */
const longest = (rows: readonly PaletteRow[]): PaletteRow | undefined => {
  let found = rows[0]
  for (const row of rows) if (chosenText(row).length > chosenText(found!).length) found = row
  return found
}
