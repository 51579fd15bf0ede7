import { formLines, lineRows } from '../../../components/CommandForm.tsx'
import { paletteFrom } from '../../../components/Palette.tsx'
import { inboxItems, cursorIn, inboxRoom, itemsThatFit } from '../inbox/list.ts'
import { pickedIn } from '../key-table.ts'
import { layoutOf, topFor } from '../layout.ts'
import { move } from '../movement.ts'
import { commandOf, shownLine, valuesOf } from '../palette/command-form.ts'
import { linesOver } from '../panes/Over.tsx'
import { type ConsoleState, looking, type Overlay, type Transition } from '../state.ts'
import { pick } from '../typing.ts'

// The mouse on what lies over the panes: a click marks a row or a field, it never does what enter does.

type Over<Kind extends Overlay['kind']> = Extract<Overlay, { kind: Kind }>

/** `line` counts from the upper border of what lies in front. */
export const clickOver =
  (line: number): Transition =>
  (state) => {
    const { overlay } = state.view
    if (overlay?.kind === 'palette') return clickPalette(state, overlay, line - 2)
    if (overlay?.kind === 'form') return clickForm(state, overlay, line - 1)
    if (overlay?.kind === 'inbox') return clickInbox(state, overlay, line - 1)
    return state
  }

/** Where the front begins on the screen, counted from the first line of the body. */
export const frontTop = ({ view: { overlay, size }, commands }: ConsoleState, body: number): number =>
  overlay ? Math.max(0, body - linesOver(overlay, size.columns, commands)) : 0

/** The wheel; in the palette it goes through the commands, where there is nothing to scroll. */
export const turnOver =
  (by: number): Transition =>
  (state) => {
    const { overlay } = state.view
    if (overlay?.kind !== 'palette') return move(by)(state)
    if (overlay.at < 0) return pick(by < 0 ? -1 : 1)(state)
    const { rows, at } = pickedIn(state, overlay)
    return mark(overlay, Math.max(0, Math.min(rows.length - 1, at + by)))(state)
  }

const mark = (overlay: Over<'palette'>, at: number): Transition => looking(() => ({ overlay: { ...overlay, at } }))

const clickPalette = (state: ConsoleState, overlay: Over<'palette'>, line: number): ConsoleState => {
  const { rows, at } = pickedIn(state, overlay)
  const height = heightIn(state, overlay) - 3
  const row = paletteFrom(at, height, rows.length) + line
  // Lines of earlier times count backwards.
  return line < 0 || line >= height || row >= rows.length ? state : mark(overlay, overlay.at < 0 ? -row - 1 : row)(state)
}

const clickForm = (state: ConsoleState, overlay: Over<'form'>, line: number): ConsoleState => {
  const { form } = overlay
  const command = commandOf(state, form)
  const wrong = command && form.command?.wrong ? command.refusals(valuesOf(form)) : {}
  const lines = form.command
    ? formLines(
        form.fields.map(({ key }) => wrong[key] !== undefined),
        form.at,
        heightIn(state, overlay) - 1 - lineRows(shownLine(state.commands, form), state.view.size.columns).length,
      )
    : plainLines(form.fields.length, form.at, heightIn(state, overlay) - 3)
  const found = lines[line]
  return found ? looking(() => ({ overlay: { ...overlay, form: { ...form, at: found.index } } }))(state) : state
}

/** As many fields as there is room for, up to the one that is filled in. */
const plainLines = (count: number, at: number, height: number): readonly { readonly index: number }[] => {
  const from = Math.max(0, at - Math.min(count, Math.max(1, height)) + 1)
  return Array.from({ length: Math.min(count, Math.max(1, height)) }, (_, line) => ({ index: from + line }))
}

const clickInbox = (state: ConsoleState, overlay: Over<'inbox'>, line: number): ConsoleState => {
  const items = inboxItems(state)
  const at = cursorIn(items, overlay)
  const fits = itemsThatFit(state)
  const row = topFor(overlay.top, at, fits, items.length) + Math.floor(line / inboxRoom(state).each)
  return line < 0 || line >= inboxRoom(state).list || row >= items.length ? state : move(row - at)(state)
}

const heightIn = ({ view: { size, pane }, commands }: ConsoleState, overlay: Overlay): number =>
  Math.max(4, Math.min(layoutOf(size.columns, size.rows, pane).body, linesOver(overlay, size.columns, commands)))
