import type { SafeText } from '../../../domain/words/safe-text.ts'
import { widthOf } from '../../../../components/base/fit.ts'

/** The columns of each tab in its line, from (inclusive) and to (exclusive). */
export const tabSpans = (
  tabs: readonly { readonly name: SafeText }[],
): readonly { readonly from: number; readonly to: number }[] => {
  let at = 0
  return tabs.map(({ name }, index) => {
    const from = at
    at += widthOf(`[${index + 1} ${name}]`)
    return { from, to: at }
  })
}
