import type { SafeText } from '../../src/domain/words/safe-text.ts'
import { fold, widthOf } from '../base/fit.ts'

/** Columns before a sentence: a space, its mark and a space. */
const MARK = 3

export const noticeLines = (text: SafeText, width: number, most: number): readonly string[] => {
  if (most <= 1 || widthOf(text) + MARK <= width) return [text]
  const lines = fold(text, width - MARK)
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), lines.slice(most - 1).join(' ')]
}
