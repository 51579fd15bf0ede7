import { commandLines, type FieldLines, fieldLines } from '../../../components/form-lines.ts'
import { paletteLines } from '../../../components/palette-lines.ts'
import { inboxItems, cursorIn, inboxRoom, itemsThatFit } from '../inbox/list.ts'
import { pickedIn } from '../key-table.ts'
import { layoutOf, topFor } from '../layout.ts'
import { move } from '../movement.ts'
import { hintBelow, wordsOf } from '../palette/form-words.ts'
import { noticeHeight, noticeRoom } from '../panes/Edges.tsx'
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
export const frontTop = (state: ConsoleState, body: number): number => {
  const { overlay, size } = state.view
  return overlay ? Math.max(0, body - linesOver(overlay, size.columns, state)) : 0
}

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
  const { from, seen } = paletteLines(rows, at, state.view.size.columns, heightIn(state, overlay) - 3)
  const row = from + line
  // Lines of earlier times count backwards.
  return line < 0 || line >= seen || row >= rows.length ? state : mark(overlay, overlay.at < 0 ? -row - 1 : row)(state)
}

const clickForm = (state: ConsoleState, overlay: Over<'form'>, line: number): ConsoleState => {
  const { form } = overlay
  const { columns } = state.view.size
  const height = heightIn(state, overlay) - 2
  const found = form.command
    ? commandLines(wordsOf(state, form), columns, height).rows[line]?.index
    : fieldUnder(line, fieldLines(form.fields.length, form.at, hintBelow(state, form), columns, height))
  return found === undefined ? state : looking(() => ({ overlay: { ...overlay, form: { ...form, at: found } } }))(state)
}

const fieldUnder = (line: number, { from, room }: FieldLines): number | undefined => (line >= 0 && line < room ? from + line : undefined)

const clickInbox = (state: ConsoleState, overlay: Over<'inbox'>, line: number): ConsoleState => {
  const items = inboxItems(state)
  const at = cursorIn(items, overlay)
  const fits = itemsThatFit(state)
  const row = topFor(overlay.top, at, fits, items.length) + Math.floor(line / inboxRoom(state).each)
  return line < 0 || line >= inboxRoom(state).list || row >= items.length ? state : move(row - at)(state)
}

/** Without the lines that a long notice takes. */
const heightIn = (state: ConsoleState, overlay: Overlay): number => {
  const { size, pane } = state.view
  const { body } = layoutOf(size.columns, size.rows, pane)
  const shown = body + 1 - noticeHeight(state, size.columns, noticeRoom(overlay, body))
  return Math.max(4, Math.min(shown, linesOver(overlay, size.columns, state)))
}
