import type { SafeText } from '../../src/domain/words/safe-text.ts'
import { fold, widthOf } from '../base/fit.ts'

// The lines of a notice, and of the words that are typed in its place.

/** Columns before a sentence: a space, its mark and a space. */
const MARK = 3

export const noticeLines = (text: SafeText, width: number, most: number): readonly string[] => {
  if (most <= 1 || widthOf(text) + MARK <= width) return [text]
  const lines = fold(text, width - MARK)
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), lines.slice(most - 1).join(' ')]
}

/** ` / ` before the text, the cursor and two spaces after it. */
export const AROUND = 6

/** Columns of the hint that a long text leaves: `1234+ tasks`. */
export const HINT = 12

/** The error in separate lines; empty if it fits beside the text. */
export const problemLines = (
  { text, hint, wrong }: { readonly text: SafeText; readonly hint: SafeText; readonly wrong: boolean },
  width: number,
  most: number,
): readonly string[] => {
  if (!wrong || most <= 1 || widthOf(text) + widthOf(hint) + AROUND <= width) return []
  const lines = fold(hint, width - 3)
  return lines.length < most ? lines : [...lines.slice(0, most - 2), lines.slice(most - 2).join(' ')]
}
