import type { Desk } from './desk.ts'
import { typedModes } from './comfort/bindings.ts'
import { isLed, needsLeader } from './comfort/strict.ts'
import { pressRow, rowFor, shownKey } from './key-table.ts'
import { keyRows } from './keys.ts'
import { type Mode, modeOf } from './state.ts'
import { type Stroke, typedBy } from './strokes.ts'
import { type as typeText } from './typing.ts'
import { consoleText } from '../text/actions.ts'

/** Modes in which a key answers a question for good. In the inbox the question is the item under the cursor, which has a guard of its own. */
const asking: ReadonlySet<Mode> = new Set(keyRows.filter((row) => row.answers).flatMap((row) => row.modes.filter((mode) => mode !== 'inbox')))

/**
 * Presses one key after the other. What came in the same piece behind a key that opened a question is
 * dropped: nobody can have read it yet.
 */
export const dispatch = (desk: Desk, strokes: readonly Stroke[]): void => {
  /** The key that answered a request: pressed twice it was meant once. */
  let answered: Stroke | undefined
  for (const stroke of strokes) {
    if (stroke === answered) continue
    const before = modeOf(desk.state())
    pressStroke(desk, before, stroke)
    const after = modeOf(desk.state())
    if (after === before) continue
    if (asking.has(after) || isAnswer(desk)) return
    if (before === 'request' && stroke !== 'escape') answered = stroke
  }
}

/** A form whose first enter would answer an agent. */
const isAnswer = (desk: Desk): boolean => {
  const { overlay } = desk.state().view
  return overlay?.kind === 'form' && overlay.form.kind === 'answer'
}

/** A paste is one text in a field; anywhere else it is no row of commands. */
export const paste = (desk: Desk, text: string): void => {
  if (typedModes.has(modeOf(desk.state()))) desk.change(typeText(text))
  else desk.tell(consoleText.pasteNeedsForm(shownKey(desk.state(), 'new')))
}

const pressStroke = (desk: Desk, mode: Mode, stroke: Stroke): void => {
  const row = rowFor(desk.state(), mode, stroke)
  const led = isLed(desk)
  if (row && !led && needsLeader(desk, row)) return
  if (row) return pressRow(desk, row)
  const text = typedBy(stroke)
  if (text !== undefined && typedModes.has(mode)) desk.change(typeText(text))
}
