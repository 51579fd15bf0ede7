import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import { keyed, shownKey } from '../keys/names.ts'
import { type Layout, layoutOf, shownPanes } from '../core/layout.ts'
import { type ConsoleState, changingView, type Transition } from '../core/state.ts'
import { panes, type Pane } from '../core/panes.ts'
import { same } from '../core/same.ts'
import type { Arrangement } from '../core/preferences.ts'
import { changingPreferences, unsaying } from '../core/reducers.ts'
import { arrangementText } from '../../text/comfort.ts'

// Panes are zoomed, hidden and resized.

/** The most steps by which a pane or a column grows. */
const MOST = 6

const arranging = (change: (arrangement: Arrangement, state: ConsoleState) => Partial<Arrangement>): Transition =>
  changingPreferences(({ arrangement }, state) => ({ arrangement: { ...arrangement, ...change(arrangement, state) }, hid: null }))

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
  if (comesBack(state)) return showPane(preferences.hid!.pane)(changingView(() => ({ pane: preferences.hid!.pane, about: aboutAt(preferences.hid!.pane, view.about) }))(state))
  const rest = shownPanes(preferences.arrangement, view.pane).filter((pane) => pane !== view.pane)
  const to = rest.find((pane) => panes.indexOf(pane) > panes.indexOf(view.pane)) ?? rest[0]!
  const hidden = arranging(({ hidden: before }) => ({ hidden: [...before.filter((pane) => pane !== view.pane), view.pane] }))(state)
  const moved = changingView(() => ({ pane: to, about: aboutAt(to, view.about), notice: { text: hiddenNotice(state, view.pane), tone: 'told' } }))(hidden)
  return changingPreferences(() => ({ hid: { pane: view.pane, to } }))(moved)
}

/** A hidden pane that gets the focus is shown again, and the notice about it is removed. */
export const showPane =
  (pane: Pane): Transition =>
  (state) =>
    unsaying(hiddenNotice(state, pane))(arranging(({ hidden }) => (hidden.includes(pane) ? { hidden: hidden.filter((one) => one !== pane) } : {}))(state))

const hiddenNotice = (state: ConsoleState, pane: Pane): SafeText => ours(arrangementText.isHidden(arrangementText.panes[pane], shownKey(state, pane)))

export const whyNotWider =
  (by: 1 | -1) =>
  (state: ConsoleState): string | undefined => {
    const why = whyNotAnyLarger(state) ?? (new Set(Object.values(roomsIn(state)).map(({ left }) => left)).size > 1 ? undefined : arrangementText.belowEachOther)
    if (why !== undefined || stepOf(state, by) !== undefined) return why
    return by === 1 ? arrangementText.widest : arrangementText.narrowest
  }

/** Moves the edge between the columns so that the focused one grows or shrinks. */
export const widen = (by: 1 | -1): Transition => arranging(({ wider }, state) => ({ wider: stepOf(state, by) ?? wider }))

/** The next step with a visible effect: a column keeps its share, so on some screens a step changes nothing. */
const stepOf = (state: ConsoleState, by: 1 | -1): number | undefined => {
  const { arrangement } = state.preferences
  const way = state.view.pane === 'board' || state.view.pane === 'agents' ? by : -by
  for (let wider = arrangement.wider + way; Math.abs(wider) <= MOST; wider += way) if (!same(roomsIn(state, { ...arrangement, wider }), roomsIn(state))) return wider
  return undefined
}

export const whyNotTaller =
  (by: 1 | -1) =>
  (state: ConsoleState): string | undefined => {
    const rooms = roomsIn(state)
    const column = Object.values(rooms).filter(({ left }) => left === rooms[state.view.pane]?.left)
    const why = whyNotAnyLarger(state) ?? (column.length > 1 ? undefined : arrangementText.besideEachOther)
    if (why !== undefined || tallerBy(state, by) !== undefined) return why
    return by === 1 ? arrangementText.tallest : arrangementText.lowest
  }

/** Moves the edges of the focused pane, at the cost of those above and below it. */
export const heighten = (by: 1 | -1): Transition => arranging(({ taller }, state) => tallerBy(state, by) ?? { taller })

/** As `stepOf`, in lines: a low screen has no line for every step. */
const tallerBy = (state: ConsoleState, by: 1 | -1): Pick<Arrangement, 'taller'> | undefined => {
  const { arrangement } = state.preferences
  const { pane } = state.view
  for (let steps = (arrangement.taller[pane] ?? 0) + by; Math.abs(steps) <= MOST; steps += by) {
    const taller = { ...arrangement.taller, [pane]: steps }
    if (roomsIn(state, { ...arrangement, taller })[pane]?.height !== roomsIn(state)[pane]?.height) return { taller }
  }
  return undefined
}

const roomsIn = ({ view, preferences }: ConsoleState, arrangement = preferences.arrangement): Layout['rooms'] =>
  layoutOf(view.size.columns, view.size.rows, view.pane, 0, arrangement).rooms

/** A pane grows at the cost of another. */
const whyNotAnyLarger = (state: ConsoleState): string | undefined => {
  if (isZoomed(state)) return arrangementText.zoomed
  return manyFit(state) ? undefined : whyOnePane(state)
}

const whyOnePane = ({ preferences, view }: ConsoleState): string => (shownPanes(preferences.arrangement, view.pane).length > 1 ? arrangementText.onePane : arrangementText.lastPane)

/** True if several panes are visible, or would be without the zoom. */
const manyFit = (state: ConsoleState): boolean => Object.keys(roomsIn(state, { ...state.preferences.arrangement, zoomed: false })).length > 1

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

const aboutAt = (pane: Pane, before: ConsoleState['view']['about']): ConsoleState['view']['about'] => (pane === 'log' ? before : pane)
