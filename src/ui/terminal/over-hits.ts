import { formLines } from '../../../components/form-lines.ts'
import { paletteLines } from '../../../components/palette-lines.ts'
import { selectSection } from '../detail/presses.ts'
import { selectSaved } from '../filter/saved.ts'
import { inboxItems, cursorIn, inboxRoom, itemsThatFit } from '../inbox/list.ts'
import { pickedIn } from '../key-table.ts'
import { layoutOf, roomsShown, topFor } from '../layout.ts'
import { selectInMemory } from '../memory/movement.ts'
import { move, sheetHeight } from '../movement.ts'
import { readQuestion, wordsOf } from '../palette/form-words.ts'
import { noticeHeight, noticeRoom } from '../panes/Edges.tsx'
import { linesOver, reviewAbove } from '../panes/Over.tsx'
import { scrollPast, turnPastTo } from '../past/movement.ts'
import { pastPaneUnder } from '../past/rooms.ts'
import type { PastPane } from '../past/state.ts'
import { selectInRadar } from '../radar.ts'
import { selectInReview } from '../review/movement.ts'
import { approvalIn } from '../review/window.ts'
import { type ConsoleState, looking, type Overlay, type Transition } from '../state.ts'
import { pick } from '../typing.ts'

// The mouse on what lies over the panes: a click marks a row or a field, it never does what enter does.

type Over<Kind extends Overlay['kind']> = Extract<Overlay, { kind: Kind }>

/** What a click marks, by what lies in front; null where one only reads. `line` and `column` count from inside the border. */
type Click<Kind extends Overlay['kind']> = ((state: ConsoleState, overlay: Over<Kind>, line: number, column: number) => ConsoleState) | null

const clicks: { readonly [Kind in Overlay['kind']]: Click<Kind> } = {
  palette: (state, overlay, line) => clickPalette(state, overlay, line - 1),
  form: (state, overlay, line) => clickForm(state, overlay, line),
  inbox: (state, overlay, line) => clickInbox(state, overlay, line),
  memory: selectInMemory,
  radar: (state, overlay, line, column) => selectInRadar(state, overlay, line, column, sheetHeight(state)),
  filters: (state, overlay, line) => selectSaved(state, overlay, line, sheetHeight(state)),
  detail: selectSection,
  approval: (state, overlay, line) => selectInReview(state, overlay, line, sheetHeight(state)),
  past: (state, overlay, line) => turnTo(pastPaneAt(state, overlay, line + 1))(state),
  logs: null,
  plots: null,
  record: null,
  verification: null,
  request: null,
  guard: null,
  budget: null,
  commands: null,
  answer: null,
  help: null,
  confirm: null,
  filter: null,
  search: null,
  'memory-search': null,
  'log-search': null,
  'help-search': null,
}

/** `line` and `column` count from the upper left corner of what lies in front: what is above it is not clicked. */
export const clickOver = (line: number, column: number): Transition =>
  onSeen(Math.max(0, line), (state) => {
    const { overlay } = state.view
    if (!overlay || line < 1) return state
    const click = clicks[overlay.kind] as Click<never>
    return click === null ? state : click(state, overlay as never, line - 1, column - 1)
  })

/** Where the front begins on the screen, counted from the first line of the body. */
export const frontTop = (state: ConsoleState, body: number): number => {
  const { size, pane } = state.view
  const overlay = state.view.overlay && seenAt(state.view.overlay, 0)
  if (!overlay) return 0
  const over = Math.min(body, linesOver(overlay, size.columns, state))
  if (approvalIn(overlay)) return reviewAbove(body, over)
  // Panes that have no room above it leave it at the top.
  const noticed = layoutOf(size.columns, size.rows, pane).body - body
  const rooms = roomsShown(size.columns, size.rows, pane, { taken: over, noticed }, state.comfort.arrangement)
  return Object.keys(rooms).length === 0 ? 0 : body - over
}

/** The wheel; in the palette it goes through the commands, where there is nothing to scroll, in a form through what is asked, in the past through the pane under it. */
export const turnOver = (by: number, line: number): Transition =>
  onSeen(line, (state) => {
    const { overlay } = state.view
    if (overlay?.kind === 'form') return readQuestion(by)(state)
    if (overlay?.kind === 'past') return scrollPast(by)(turnTo(pastPaneAt(state, overlay, line))(state))
    if (overlay?.kind !== 'palette') return move(by)(state)
    if (overlay.at < 0) return pick(by < 0 ? -1 : 1)(state)
    const { rows, at } = pickedIn(state, overlay)
    return mark(overlay, Math.max(0, Math.min(rows.length - 1, at + by)))(state)
  })

/** Changes what is under the mouse, wherever in the pile it lies. */
const onSeen =
  (line: number, transition: Transition): Transition =>
  (state) => {
    const { overlay } = state.view
    const seen = overlay && seenAt(overlay, line)
    if (!seen) return state
    const changed = transition(looking(() => ({ overlay: seen }))(state))
    return looking((view) => ({ overlay: view.overlay && inPlaceOf(seen, view.overlay, overlay) }))(changed)
  }

/** While one types what is looked for, one sees what lies behind that line. Above what is asked about a review one sees the review; the panes give their attention away. */
const seenAt = (overlay: Overlay, line: number): Overlay | null => {
  if (line < 0) return approvalIn(overlay) ?? null
  return overlay.kind === 'search' || overlay.kind === 'memory-search' || overlay.kind === 'log-search' ? (overlay.behind ?? null) : overlay
}

const inPlaceOf = (old: Overlay, by: Overlay, overlay: Overlay): Overlay => (overlay === old || !overlay.behind ? by : { ...overlay, behind: inPlaceOf(old, by, overlay.behind) })

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
  const { asked, rows } = formLines(wordsOf(state, form, columns), columns, height)
  const found = rows[line - asked.length]?.index
  return found === undefined ? state : looking(() => ({ overlay: { ...overlay, form: { ...form, at: found } } }))(state)
}

const clickInbox = (state: ConsoleState, overlay: Over<'inbox'>, line: number): ConsoleState => {
  const items = inboxItems(state)
  const at = cursorIn(items, overlay)
  const fits = itemsThatFit(state)
  const row = topFor(overlay.top, at, fits, items.length) + Math.floor(line / inboxRoom(state).each)
  return line < 0 || line >= inboxRoom(state).list || row >= items.length ? state : move(row - at)(state)
}

const pastPaneAt = (state: ConsoleState, overlay: Over<'past'>, line: number): PastPane | undefined => pastPaneUnder(overlay, heightIn(state, overlay), line)

/** Beside the panes one stays where one is. */
const turnTo = (pane: PastPane | undefined): Transition => (pane === undefined ? (state) => state : turnPastTo(pane))

/** Without the lines that a long notice takes. */
export const heightIn = (state: ConsoleState, overlay: Overlay): number => {
  const { size, pane } = state.view
  const { body } = layoutOf(size.columns, size.rows, pane)
  const shown = body + 1 - noticeHeight(state, size.columns, noticeRoom(overlay, body))
  return Math.max(4, Math.min(shown, linesOver(overlay, size.columns, state)))
}
