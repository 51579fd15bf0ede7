import { ours } from '../../domain/words/safe-text.ts'
import { consoleText } from '../../text/panes.ts'
import { strictText } from '../../text/settings.ts'
import type { Controller } from '../core/controller.ts'
import { kindOf } from '../core/layout.ts'
import { viewOf } from '../core/overlays.ts'
import { unsaying } from '../core/reducers.ts'
import type { AnyView, KeyRow } from '../core/registry.ts'
import { changingPreferences, changingView, type ConsoleState, type Mode, modeOf } from '../core/state.ts'
import { boundRows, keyed, shownKey } from './bindings.ts'
import { type Stroke, typedBy } from './strokes.ts'
import { type as typeText } from './typing.ts'

// From a stroke to the key that it presses: the keys of the view in front, why one is unavailable, and the leader
// key.

/**
 * Processes keys one after the other. Keys that arrived in the same piece after one that opened a question are dropped,
 * because the person cannot have read it yet.
 */
export const dispatch = (controller: Controller, strokes: readonly Stroke[]): void =>
  leavingRefusals(controller, () => pressAll(controller, strokes))

const pressAll = (controller: Controller, strokes: readonly Stroke[]): boolean => {
  let did = false
  /** The key that answered a question: pressed twice, it counts once. */
  let answered: Stroke | undefined
  let revealed = false
  for (const stroke of strokes) {
    if (controller.isLeaving()) return did
    if (stroke === answered) continue
    const [before, inFront] = [modeOf(controller.state()), frontRow(controller.state())]
    const { shown } = controller.state().view
    // The view with this cursor was covered when these keys were pressed.
    if (revealed && inFront?.covered && rowFor(controller.state(), before, stroke)?.answers) return did
    did = pressStroke(controller, before, stroke) || did
    const after = modeOf(controller.state())
    if (after === before && controller.state().view.shown === shown) continue
    revealed ||= frontRow(controller.state())?.covered === true && before !== 'list'
    if (isQuestion(controller.state())) return did
    if (inFront?.once && stroke !== 'escape') answered = stroke
  }
  return did
}

const frontRow = (state: ConsoleState): AnyView | undefined =>
  state.view.overlay ? viewOf(state, state.view.overlay) : undefined

/** True if the keys of the front view answer permanently. */
const isQuestion = (state: ConsoleState): boolean =>
  state.view.overlay !== null && frontRow(state)?.asks?.(state.view.overlay) === true

/**
 * Removes an earlier refusal, which is no longer true of the present keys; a receipt stays, because it may have arrived
 * after the key. A refusal caused by these very keys could not be read yet.
 */
export const leavingRefusals = (controller: Controller, act: () => boolean): void => {
  const before = controller.state().view.notice
  const did = act()
  if (did && before.tone === 'refused' && controller.state().view.notice === before)
    controller.change(changingView(({ notice }) => ({ notice: { ...notice, text: ours('') } })))
}

/** A paste is one text in a field; anywhere else it is not a series of commands. */
export const paste = (controller: Controller, text: string): void => {
  if (isUnseen(controller.state())) return
  if (controller.state().table.typed.has(modeOf(controller.state())))
    leavingRefusals(controller, () => typed(controller, text))
  else
    controller.tell(
      opensForm(controller.state())
        ? consoleText.pasteNeedsForm(shownKey(controller.state(), 'new'))
        : consoleText.pasteIsNoAnswer,
    )
}

/** In a view the key for a new task may have another meaning. */
const opensForm = (state: ConsoleState): boolean =>
  state.table.rows.some((row) => row.id === 'new' && row.modes.includes(modeOf(state)))

/** True if the screen has no room for the target of a key, nor for a question. */
const isUnseen = ({ view: { size } }: ConsoleState): boolean => kindOf(size.columns, size.rows) === 'none'

/** Keys that work on an invisible screen, whatever is over the panes. */
const blindly: ReadonlySet<string> = new Set(['quit', 'suspend', 'redraw'])

/** True if the key did something, or shows why it does not. */
const pressStroke = (controller: Controller, mode: Mode, stroke: Stroke): boolean => {
  if (isUnseen(controller.state())) return pressUnseen(controller, stroke)
  const row = rowFor(controller.state(), mode, stroke)
  if (row) return pressKey(controller, row, stroke)
  isLed(controller)
  const text = typedBy(stroke)
  if (controller.state().table.typed.has(mode)) return text !== undefined && typed(controller, text)
  return isMissed(controller, mode, stroke)
}

/** A key with a meaning here, pressed or clicked. */
export const pressKey = (controller: Controller, row: KeyRow, stroke?: Stroke): true => {
  const { overlay } = controller.state().view
  const pressed = frontRow(controller.state())?.pressed
  if (isLed(controller) || !needsLeader(controller, row)) pressRow(controller, row, stroke)
  if (overlay) pressed?.(overlay, controller)
  return true
}

/** A key of the panes that is pressed in a view over them gets a notice; beside a question there is none. */
const isMissed = (controller: Controller, mode: Mode, stroke: Stroke): boolean => {
  const row = mode === 'list' || mode === 'confirm' ? undefined : rowFor(controller.state(), 'list', stroke)
  if (!row) return false
  controller.tell(consoleText.onlyOnPanes(row.shown, row.label), 'refused')
  return true
}

const pressUnseen = (controller: Controller, stroke: Stroke): boolean => {
  const row = rowFor(controller.state(), 'list', stroke)
  if (!row || !blindly.has(row.id)) return false
  pressRow(controller, row)
  return true
}

const typed = (controller: Controller, text: string): true => {
  controller.change(typeText(text))
  return true
}

// Derives output from the rows of the table, with the configured bindings.

type Bound = Pick<ConsoleState, 'preferences' | 'table'>

export const boundRowsOf = ({ preferences, table }: Bound): readonly KeyRow[] =>
  boundRows(table.rows, preferences.bindings)

const rowFor = (state: Bound, mode: Mode, stroke: Stroke): KeyRow | undefined =>
  rowsOf(boundRowsOf(state), mode).find((row) => row.keys.includes(stroke))

/** The row of a mode with this key notation. */
export const rowWritten = (state: Bound, mode: Mode, key: string): KeyRow | undefined =>
  rowsOf(boundRowsOf(state), mode).find((row) => row.shown.split(' ').includes(key))

/** Why a key is unavailable; undefined if it works. */
export const whyNotPress = (state: ConsoleState, row: KeyRow): string | undefined =>
  (row.writes ? whyClosed(state) : undefined) ?? row.blocked?.(state)

/** Runs a key, or shows why it is unavailable. */
export const pressRow = (controller: Controller, row: KeyRow, stroke?: Stroke): void => {
  const why = whyNotPress(controller.state(), row)
  if (why === undefined) row.press(controller, stroke)
  else controller.tell(keyed(controller.state(), why), 'refused')
}

/** The rows of a mode; looked for once, since every key asks for them. */
export const rowsOf = (rows: readonly KeyRow[], mode: Mode): readonly KeyRow[] => {
  const known = byMode.get(rows) ?? new Map<Mode, readonly KeyRow[]>()
  byMode.set(rows, known)
  const found = known.get(mode) ?? rows.filter((row) => row.modes.includes(mode))
  known.set(mode, found)
  return found
}

const byMode = new WeakMap<readonly KeyRow[], Map<Mode, readonly KeyRow[]>>()

/** Why the board takes no writes of this console, which shows it all the same; undefined if it does. */
export const whyClosed = ({ gone, supervisor }: Pick<ConsoleState, 'gone' | 'supervisor'>): string | undefined =>
  gone ?? supervisor.closed ?? undefined

// The strict mode (`console.strict`) ignores accidental input, such as a word meant for another window. Such input may
// open forms and the palette, which change nothing, but the key that submits them requires the leader key. It is a
// leader key rather than a repeated key, because words often contain double letters.

/** True for the one key after the leader key. */
const isLed = (controller: Controller): boolean => {
  const { led } = controller.state().preferences
  if (led)
    controller.change((state) =>
      unsaying(ours(strictText.nextActs))(changingPreferences(() => ({ led: false }))(state)),
    )
  return led
}

/** Shows a notice if a key acts and the leader key is missing. */
export const needsLeader = (controller: Controller, row: KeyRow): boolean => {
  if (!controller.state().preferences.strict || !(row.acts ?? row.answers)) return false
  controller.tell(
    strictText.needsLeader(
      shownKey(controller.state(), 'leader'),
      row.shown,
      row.id === 'yes' ? strictText.saysYes : strictText.does(row.label),
    ),
    'refused',
  )
  return true
}

export const whyNotLead = (state: Parameters<NonNullable<KeyRow['blocked']>>[0]): string | undefined =>
  state.preferences.strict ? undefined : strictText.isOff

export const lead = (controller: Controller): void => {
  controller.change(changingPreferences(() => ({ led: true })))
  controller.tell(strictText.nextActs)
}
