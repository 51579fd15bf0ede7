import { widthOf } from '../../../components/fit.ts'
import { formLines, GAP } from '../../../components/form-lines.ts'
import { keyed, rowWritten } from '../key-table.ts'
import type { KeyRow } from '../keys.ts'
import { wordsOf } from '../palette/form-words.ts'
import { answerBelow, confirmLines } from '../panes/Over.tsx'
import { type ConsoleState, modeOf } from '../state.ts'
import { heightIn } from './over-hits.ts'
import { confirmText } from '../../text/panes.ts'

// The lines that say what the keys do: each part of one begins with its key, as a label of the footer does.

/** The key that is named at a place of what lies in front, counted from its upper left corner. */
export const keyNamedAt = (state: ConsoleState, line: number, column: number): KeyRow | undefined => {
  const words = wordsAt(state, line)
  const key = words && partAt(words.text, column - words.from)?.split(' ')[0]
  return key === undefined ? undefined : rowWritten(state, modeOf(state), key)
}

/** Such a line, and the column in which it begins. */
const wordsAt = (state: ConsoleState, line: number): { readonly text: string; readonly from: number } | undefined => {
  const { overlay, size } = state.view
  if (!overlay) return undefined
  const height = heightIn(state, overlay)
  const answer = answerBelow(state)
  // Behind its mark.
  if (answer !== undefined) return line === height - 1 ? { text: answer, from: 3 } : undefined
  if (overlay.kind === 'confirm') {
    const last = Math.min(Math.max(1, height - 2), confirmLines(overlay, size.columns).length + 1)
    return line === last ? { text: keyed(state, confirmText.answers), from: 2 } : undefined
  }
  if (overlay.kind !== 'form') return undefined
  const { asked, rows, line: typed, hints } = formLines(wordsOf(state, overlay.form, size.columns), size.columns, height - 2)
  const text = hints[line - 1 - asked.length - rows.length - typed.length]
  return text === undefined ? undefined : { text, from: 2 }
}

const partAt = (text: string, column: number): string | undefined => {
  let from = 0
  return text.split(GAP).find((part) => {
    const begin = from
    from += widthOf(part) + widthOf(GAP)
    return column >= begin && column < begin + widthOf(part)
  })
}
