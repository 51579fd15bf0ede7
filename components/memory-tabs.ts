import type { SafeText } from '../src/domain/safe-text.ts'
import { widthOf } from './fit.ts'

/** Where each tab stands in its line: from a column, up to before another. */
export const tabSpans = (tabs: readonly { readonly name: SafeText }[]): readonly { readonly from: number; readonly to: number }[] => {
  let at = 0
  return tabs.map(({ name }, index) => {
    const from = at
    at += widthOf(`[${index + 1} ${name}]`)
    return { from, to: at }
  })
}
