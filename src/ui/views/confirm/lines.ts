import { fold, widthOf } from '../../../../components/base/fit.ts'
import type { SafeText } from '../../../domain/words/safe-text.ts'

/** The question, in lines that fit. */
export const confirmLines = (lines: readonly SafeText[], columns: number): readonly SafeText[] =>
  lines.flatMap((line) => (widthOf(line) > columns - 4 ? fold(line, columns - 4) : [line]))
