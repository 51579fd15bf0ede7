import { ours } from '../domain/safe-text.ts'
import type { Desk } from './desk.ts'
import { typedModes } from './comfort/bindings.ts'
import { isLed, needsLeader } from './comfort/strict.ts'
import { cameFrom, inboxOf } from './inbox/list.ts'
import { pressRow, rowFor, shownKey } from './key-table.ts'
import { type KeyRow, keyRows } from './keys.ts'
import { kindOf } from './layout.ts'
import { type ConsoleState, looking, type Mode, modeOf } from './state.ts'
import { type Stroke, typedBy } from './strokes.ts'
import { type as typeText } from './typing.ts'
import { consoleText } from '../text/actions.ts'

/** Modes in which a key answers a question for good. In the inbox the question is the item under the cursor, which has a guard of its own. */
const asking: ReadonlySet<Mode> = new Set(keyRows.filter((row) => row.answers).flatMap((row) => row.modes.filter((mode) => mode !== 'inbox')))

/**
 * Presses one key after the other. What came in the same piece behind a key that opened a question is
 * dropped: nobody can have read it yet.
 */
export const dispatch = (desk: Desk, strokes: readonly Stroke[]): void => leavingRefusals(desk, () => pressAll(desk, strokes))

const pressAll = (desk: Desk, strokes: readonly Stroke[]): boolean => {
  let did = false
  /** The key that answered a request: pressed twice it was meant once. */
  let answered: Stroke | undefined
  let revealed = false
  for (const stroke of strokes) {
    if (desk.isLeaving()) return did
    if (stroke === answered) continue
    const before = modeOf(desk.state())
    const { shown } = desk.state().view
    // What the inbox has under its cursor was covered when these keys were pressed.
    if (revealed && before === 'inbox' && rowFor(desk.state(), before, stroke)?.answers) return did
    did = pressStroke(desk, before, stroke) || did
    const after = modeOf(desk.state())
    if (after === before && desk.state().view.shown === shown) continue
    revealed ||= after === 'inbox' && before !== 'list'
    if (asking.has(after) || isAnswer(desk)) return did
    if (before === 'request' && stroke !== 'escape') answered = stroke
  }
  return did
}

/**
 * What was refused before is no longer true of what one does now, so its sentence goes; a receipt stays, for it may have come
 * behind the key. A refusal that came with these very keys could not be read yet.
 */
export const leavingRefusals = (desk: Desk, act: () => boolean): void => {
  const before = desk.state().view.notice
  const did = act()
  if (did && before.tone === 'refused' && desk.state().view.notice === before) desk.change(looking(({ notice }) => ({ notice: { ...notice, text: ours('') } })))
}

/** A form whose first enter would answer an agent, or turn an integration down. */
const isAnswer = (desk: Desk): boolean => {
  const { overlay } = desk.state().view
  return overlay?.kind === 'form' && (overlay.form.kind === 'answer' || overlay.form.kind === 'reject')
}

/** A paste is one text in a field; anywhere else it is no row of commands. */
export const paste = (desk: Desk, text: string): void => {
  if (isUnseen(desk.state())) return
  if (typedModes.has(modeOf(desk.state()))) leavingRefusals(desk, () => typed(desk, text))
  else desk.tell(opensForm(desk.state()) ? consoleText.pasteNeedsForm(shownKey(desk.state(), 'new')) : consoleText.pasteIsNoAnswer)
}

/** In a view of its own the key of a new task may mean something else. */
const opensForm = (state: ConsoleState): boolean => keyRows.some((row) => row.id === 'new' && row.modes.includes(modeOf(state)))

/** The screen has no room for what a key would act on, nor for a question. */
const isUnseen = ({ view: { size } }: ConsoleState): boolean => kindOf(size.columns, size.rows) === 'none'

/** What works unseen, whatever lies over the panes. */
const blindly: ReadonlySet<string> = new Set(['quit', 'suspend', 'redraw', 'gauge'])

/** True where the key did something, or says why it does not. */
const pressStroke = (desk: Desk, mode: Mode, stroke: Stroke): boolean => {
  if (isUnseen(desk.state())) return pressUnseen(desk, stroke)
  const row = rowFor(desk.state(), mode, stroke)
  if (row) return pressKey(desk, row, stroke)
  isLed(desk)
  const text = typedBy(stroke)
  if (typedModes.has(mode)) return text !== undefined && typed(desk, text)
  return isMissed(desk, mode, stroke)
}

/** A key that means something here, pressed or clicked. */
export const pressKey = (desk: Desk, row: KeyRow, stroke?: Stroke): true => {
  const inbox = inboxOf(desk.state())
  if (isLed(desk) || !needsLeader(desk, row)) pressRow(desk, row, stroke)
  cameFrom(inbox, desk)
  return true
}

/** A key of the panes that is pressed in a view over them is not swallowed without a word; beside a question nothing else is said. */
const isMissed = (desk: Desk, mode: Mode, stroke: Stroke): boolean => {
  const row = mode === 'list' || mode === 'confirm' ? undefined : rowFor(desk.state(), 'list', stroke)
  if (!row) return false
  desk.tell(consoleText.onlyOnPanes(row.shown, row.label), 'refused')
  return true
}

const pressUnseen = (desk: Desk, stroke: Stroke): boolean => {
  const row = rowFor(desk.state(), 'list', stroke)
  if (!row || !blindly.has(row.id)) return false
  pressRow(desk, row)
  return true
}

const typed = (desk: Desk, text: string): true => {
  desk.change(typeText(text))
  return true
}
