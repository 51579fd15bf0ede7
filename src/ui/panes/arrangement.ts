import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import { arrangementText } from '../../text/panes.ts'
import { kindIn, type Rooms, roomsIn, shownPanes, unmoved } from '../core/layout.ts'
import { unsaying } from '../core/reducers.ts'
import {
  type Arrangement,
  type Borders,
  changingPreferences,
  changingView,
  type ConsoleState,
  type Pane,
  panes,
  type Transition,
} from '../core/state.ts'
import { keyed, shownKey } from '../keys/bindings.ts'

// The arrangement of the panes: which has the focus, which are hidden, and the borders between them.

export const focus =
  (pane: Pane): Transition =>
  (state) =>
    changingView((view) => ({ pane, about: pane === 'log' ? view.about : pane }))(showPane(pane)(state))

export const focusNext =
  (by: 1 | -1): Transition =>
  (state) => {
    const shown = shownPanes(state.preferences.arrangement, state.view.pane)
    return focus(shown[(shown.indexOf(state.view.pane) + by + shown.length) % shown.length]!)(state)
  }

// Panes are zoomed and hidden.

const arranging = (change: (arrangement: Arrangement, state: ConsoleState) => Partial<Arrangement>): Transition =>
  changingPreferences(({ arrangement }, state) => ({
    arrangement: { ...arrangement, ...change(arrangement, state) },
    hid: null,
  }))

/** If only one pane is visible anyway, zooming it has no effect. */
export const whyNotZoom = (state: ConsoleState): string | undefined => (manyFit(state) ? undefined : whyOnePane(state))

export const zoom: Transition = arranging(({ zoomed }) => ({ zoomed: !zoomed }))

/** The last pane cannot be hidden. */
export const whyNotHide = (state: ConsoleState): string | undefined => {
  if (comesBack(state)) return undefined
  if (isZoomed(state)) return arrangementText.zoomed
  return shownPanes(state.preferences.arrangement, state.view.pane).length > 1 ? undefined : arrangementText.lastPane
}

/** Hides the focused pane. Pressed again at once, it shows the pane again. */
export const hide: Transition = (state) => {
  const { preferences, view } = state
  if (comesBack(state))
    return showPane(preferences.hid!.pane)(
      changingView(() => ({ pane: preferences.hid!.pane, about: aboutAt(preferences.hid!.pane, view.about) }))(state),
    )
  const rest = shownPanes(preferences.arrangement, view.pane).filter((pane) => pane !== view.pane)
  const to = rest.find((pane) => panes.indexOf(pane) > panes.indexOf(view.pane)) ?? rest[0]!
  const hidden = arranging(({ hidden: before }) => ({
    hidden: [...before.filter((pane) => pane !== view.pane), view.pane],
  }))(state)
  const moved = changingView(() => ({
    pane: to,
    about: aboutAt(to, view.about),
    notice: { text: hiddenNotice(state, view.pane), tone: 'told' },
  }))(hidden)
  return changingPreferences(() => ({ hid: { pane: view.pane, to } }))(moved)
}

/** A hidden pane that gets the focus is shown again, and the notice about it is removed. */
const showPane =
  (pane: Pane): Transition =>
  (state) =>
    unsaying(hiddenNotice(state, pane))(
      arranging(({ hidden }) => (hidden.includes(pane) ? { hidden: hidden.filter((one) => one !== pane) } : {}))(state),
    )

const hiddenNotice = (state: ConsoleState, pane: Pane): SafeText =>
  ours(arrangementText.isHidden(arrangementText.panes[pane], shownKey(state, pane)))

const whyOnePane = ({ preferences, view }: ConsoleState): string =>
  shownPanes(preferences.arrangement, view.pane).length > 1 ? arrangementText.onePane : arrangementText.lastPane

/** True if several panes are visible, or would be without the zoom. */
const manyFit = (state: ConsoleState): boolean =>
  Object.keys(roomsIn(state, { ...state.preferences.arrangement, zoomed: false })).length > 1

/** With room for one pane, or one pane left, the zoom hides nothing. */
const isZoomed = (state: ConsoleState): boolean => state.preferences.arrangement.zoomed && manyFit(state)

/** The reason why panes are missing, possibly a choice of weeks ago, and the keys that show them. */
export const arrangementNote = (state: ConsoleState): string => {
  const { view, preferences } = state
  if (isZoomed(state)) return keyed(state, arrangementText.isZoomed)
  const away = panes.filter((pane) => pane !== view.pane && preferences.arrangement.hidden.includes(pane))
  return away.length === 0 ? '' : keyed(state, arrangementText.areHidden(away.map((pane) => `{${pane}}`).join(' ')))
}

const comesBack = ({ preferences: { hid }, view }: ConsoleState): boolean => hid !== null && hid.to === view.pane

const aboutAt = (pane: Pane, before: ConsoleState['view']['about']): ConsoleState['view']['about'] =>
  pane === 'log' ? before : pane

// Panes are resized: a key moves the border of the focused one by a step.

export const whyNotWider =
  (by: 1 | -1) =>
  (state: ConsoleState): string | undefined => {
    const why =
      whyNotAnyLarger(state) ??
      (new Set(Object.values(roomsIn(state)).map(({ left }) => left)).size > 1
        ? undefined
        : arrangementText.belowEachOther)
    if (why !== undefined || wider(state, by) !== undefined) return why
    return by === 1 ? arrangementText.widest : arrangementText.narrowest
  }

/** A pane grows at the cost of another. */
const whyNotAnyLarger = (state: ConsoleState): string | undefined => {
  if (isZoomed(state)) return arrangementText.zoomed
  return manyFit(state) ? undefined : whyOnePane(state)
}

/** Moves the edge between the columns so that the focused one grows or shrinks. */
export const widen = (by: 1 | -1): Transition => moving((state) => wider(state, by))

/** Some fifteen steps from one end of the screen to the other. */
const wider = (state: ConsoleState, by: 1 | -1): Borders | undefined => {
  const { pane, size } = state.view
  const way = pane === 'board' || pane === 'agents' ? by : -by
  const left = Math.min(...Object.values(roomsIn(state)).map((room) => room.left + (room.left > 1 ? -1 : Infinity)))
  return effective(state, { ...bordersIn(state), left: left + way * Math.max(2, size.columns >> 4) })
}

export const whyNotTaller =
  (by: 1 | -1) =>
  (state: ConsoleState): string | undefined => {
    const rooms = roomsIn(state)
    const column = Object.values(rooms).filter(({ left }) => left === rooms[state.view.pane]?.left)
    const why = whyNotAnyLarger(state) ?? (column.length > 1 ? undefined : arrangementText.besideEachOther)
    if (why !== undefined || taller(state, by) !== undefined) return why
    return by === 1 ? arrangementText.tallest : arrangementText.lowest
  }

/** Makes the focused pane taller at the cost of the first one of its column, and the first at the cost of the tallest. */
export const heighten = (by: 1 | -1): Transition => moving((state) => taller(state, by))

const taller = (state: ConsoleState, by: 1 | -1): Borders | undefined => {
  const { pane, size } = state.view
  const rooms = roomsIn(state)
  const column = (Object.keys(rooms) as Pane[]).filter((one) => rooms[one]!.left === rooms[pane]?.left)
  const [first, ...others] = column.toSorted((a, b) => rooms[a]!.top - rooms[b]!.top)
  if (others.length === 0) return undefined
  const step = by * Math.max(1, size.rows >> 4)
  const moved = pane === first ? others.reduce((a, b) => (rooms[b]!.height > rooms[a]!.height ? b : a)) : pane
  const lines = Math.max(1, rooms[moved]!.height + (pane === first ? -step : step))
  const { heights, ...rest } = bordersIn(state)
  return effective(state, { ...rest, heights: { ...heights, [moved]: lines } })
}

/** The borders, if moving them changes anything. */
const effective = (state: ConsoleState, borders: Borders): Borders | undefined => {
  const { pane } = state.view
  const [before, after] = [roomsIn(state)[pane], roomsIn(withBorders(state, borders))[pane]]
  return before?.height === after?.height && before?.width === after?.width ? undefined : borders
}

const moving =
  (borders: (state: ConsoleState) => Borders | undefined): Transition =>
  (state) => {
    const moved = borders(state)
    return moved ? withBorders(state, moved) : state
  }

export const withBorders = (state: ConsoleState, borders: Borders): ConsoleState => {
  const kind = kindIn(state)
  return arranging((arrangement) => ({ borders: { ...arrangement.borders, [kind]: borders } }))(state)
}

/** Removes the moved borders of this size of screen: each pane is as large as what it holds. */
export const restoreBorders: Transition = (state) => {
  const { [kindIn(state) as 'wide']: _, ...borders } = state.preferences.arrangement.borders
  return arranging(() => ({ borders }))(state)
}

export const whyNotRestore = (state: ConsoleState): string | undefined => {
  const { left, heights } = bordersIn(state)
  return left === undefined && Object.keys(heights).length === 0 ? arrangementText.unmoved : undefined
}

// The borders between the panes, which keys and the mouse move.

/** The border above a pane, or the one between the columns. */
type Border = Pane | 'columns'

/** The moved borders of the present layout. */
const bordersIn = (state: ConsoleState): Borders => {
  const kind = kindIn(state)
  return (kind === 'wide' || kind === 'narrow' ? state.preferences.arrangement.borders[kind] : undefined) ?? unmoved
}

/** The panes directly above and below one. */
const besideOf = (rooms: Rooms, pane: Pane): { readonly above: Pane | undefined; readonly below: Pane | undefined } => {
  const room = rooms[pane]
  const near = (isNear: (top: number, height: number) => boolean): Pane | undefined =>
    (Object.keys(rooms) as Pane[]).find(
      (one) => rooms[one]!.left === room?.left && isNear(rooms[one]!.top, rooms[one]!.height),
    )
  return {
    above: near((top, height) => room !== undefined && top + height + 1 === room.top),
    below: near((top) => room !== undefined && room.top + room.height + 1 === top),
  }
}

/** The borders after the one above a pane has moved up by so many lines; the pane above it gives them. */
const movedTo = (state: ConsoleState, pane: Pane, up: number): Borders => {
  const rooms = roomsIn(state)
  const { above } = besideOf(rooms, pane)
  const { heights, ...rest } = bordersIn(state)
  if (above === undefined) return { heights, ...rest }
  const by = Math.max(1 - rooms[pane]!.height, Math.min(up, rooms[above]!.height - 1))
  return { ...rest, heights: { ...heights, [above]: rooms[above]!.height - by, [pane]: rooms[pane]!.height + by } }
}

/** The border under the mouse; undefined elsewhere. */
export const borderAt = (state: ConsoleState, column: number, row: number): Border | undefined => {
  const rooms = roomsIn(state)
  const second = Math.max(...Object.values(rooms).map(({ left }) => left))
  if (second > 1 && (column === second - 1 || column === second - 2)) return 'columns'
  return (Object.keys(rooms) as Pane[]).find((pane) => {
    const { left, width, top } = rooms[pane]!
    return row === top - 1 && column >= left && column < left + width && besideOf(rooms, pane).above !== undefined
  })
}

/** The borders after one was pulled to a place of the screen. */
export const pulledTo = (state: ConsoleState, border: Border, column: number, row: number): Borders =>
  border === 'columns'
    ? { ...bordersIn(state), left: Math.max(1, column + 1) }
    : movedTo(state, border, (roomsIn(state)[border]?.top ?? row + 1) - 1 - row)
