import { widthOf } from '../../../components/base/fit.ts'
import { GAP } from '../../../components/lines/form.ts'
import { heightIn, viewOf } from '../core/overlays.ts'
import type { KeyRow } from '../core/registry.ts'
import { rowWritten } from '../keys/dispatch.ts'
import { answerBelow } from '../screen/Overlays.tsx'
import { type ConsoleState, modeOf } from '../core/state.ts'

// Finds keys in lines that name them: each part of a line begins with its key, like a label of the footer.

/** The key named at a position of the front view, counted from its upper left corner. */
export const keyNamedAt = (state: ConsoleState, line: number, column: number): KeyRow | undefined => {
  const words = wordsAt(state, line)
  const key = words && partAt(words.text, column - words.from)?.split(' ')[0]
  return key === undefined ? undefined : rowWritten(state, modeOf(state), key)
}

/** Such a line, and the column in which it begins. */
const wordsAt = (state: ConsoleState, line: number): { readonly text: string; readonly from: number } | undefined => {
  const { overlay } = state.view
  if (!overlay) return undefined
  const height = heightIn(state, overlay)
  const answer = answerBelow(state)
  // After its mark.
  if (answer !== undefined) return line === height - 1 ? { text: answer, from: 3 } : undefined
  return viewOf(state, overlay).words?.(state, overlay, line, height)
}

const partAt = (text: string, column: number): string | undefined => {
  let from = 0
  return text.split(GAP).find((part) => {
    const begin = from
    from += widthOf(part) + widthOf(GAP)
    return column >= begin && column < begin + widthOf(part)
  })
}
