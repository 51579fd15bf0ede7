import { ours } from '../../domain/safe-text.ts'
import { keyed } from '../key-names.ts'
import { kindOf, type Layout, layoutOf, shownPanes } from '../layout.ts'
import { type ConsoleState, looking, type Pane, panes, type Transition } from '../state.ts'
import { same } from '../same.ts'
import type { Arrangement, Comfort } from './state.ts'
import { arrangementText } from '../../text/comfort.ts'

// Panes are zoomed, hidden and resized.

/** Steps beyond which a pane or a column grows no more. */
const MOST = 6

/** A transition of the comfort alone. */
export const comforting =
  (change: (comfort: Comfort, state: ConsoleState) => Partial<Comfort>): Transition =>
  (state) => ({ ...state, comfort: { ...state.comfort, ...change(state.comfort, state) } })

const arranging = (change: (arrangement: Arrangement, state: ConsoleState) => Partial<Arrangement>): Transition =>
  comforting(({ arrangement }, state) => ({ arrangement: { ...arrangement, ...change(arrangement, state) }, hid: null }))

export const zoom: Transition = arranging(({ zoomed }) => ({ zoomed: !zoomed }))

/** The last pane stays: something has to be there to be looked at. */
export const whyNotHide = (state: ConsoleState): string | undefined => {
  if (comesBack(state)) return undefined
  if (state.comfort.arrangement.zoomed) return arrangementText.zoomed
  return shownPanes(state.comfort.arrangement, state.view.pane).length > 1 ? undefined : arrangementText.lastPane
}

/** Hides the pane that has the focus. Pressed again at once, it brings it back. */
export const hide =
  (shownKey: (state: ConsoleState, id: Pane) => string): Transition =>
  (state) => {
    const { comfort, view } = state
    if (comesBack(state)) return showPane(comfort.hid!.pane)(looking(() => ({ pane: comfort.hid!.pane, about: aboutAt(comfort.hid!.pane, view.about) }))(state))
    const rest = shownPanes(comfort.arrangement, view.pane).filter((pane) => pane !== view.pane)
    const to = rest.find((pane) => panes.indexOf(pane) > panes.indexOf(view.pane)) ?? rest[0]!
    const hidden = arranging(({ hidden: before }) => ({ hidden: [...before.filter((pane) => pane !== view.pane), view.pane] }))(state)
    const moved = looking(() => ({
      pane: to,
      about: aboutAt(to, view.about),
      notice: { text: ours(arrangementText.isHidden(arrangementText.panes[view.pane], shownKey(state, view.pane))), tone: 'told' },
    }))(hidden)
    return comforting(() => ({ hid: { pane: view.pane, to } }))(moved)
  }

/** A pane that one goes to is hidden no more. */
export const showPane = (pane: Pane): Transition => arranging(({ hidden }) => (hidden.includes(pane) ? { hidden: hidden.filter((one) => one !== pane) } : {}))

export const whyNotWider =
  (by: 1 | -1) =>
  (state: ConsoleState): string | undefined => {
    const why = whyNotAnyLarger(state) ?? (new Set(Object.values(roomsIn(state)).map(({ left }) => left)).size > 1 ? undefined : arrangementText.belowEachOther)
    if (why !== undefined || stepOf(state, by) !== undefined) return why
    return by === 1 ? arrangementText.widest : arrangementText.narrowest
  }

/** Moves the edge between the columns so that the one with the focus grows, or gives way. */
export const widen = (by: 1 | -1): Transition => arranging(({ wider }, state) => ({ wider: stepOf(state, by) ?? wider }))

/** The next step that is seen: a column keeps its share, so on another screen some of them change nothing. */
const stepOf = (state: ConsoleState, by: 1 | -1): number | undefined => {
  const { arrangement } = state.comfort
  const way = state.view.pane === 'board' || state.view.pane === 'agents' ? by : -by
  for (let wider = arrangement.wider + way; Math.abs(wider) <= MOST; wider += way) if (!same(roomsIn(state, { ...arrangement, wider }), roomsIn(state))) return wider
  return undefined
}

export const whyNotTaller = (state: ConsoleState): string | undefined => {
  const rooms = roomsIn(state)
  const column = Object.values(rooms).filter(({ left }) => left === rooms[state.view.pane]?.left)
  return whyNotAnyLarger(state) ?? (column.length > 1 ? undefined : arrangementText.besideEachOther)
}

export const heighten = (by: 1 | -1): Transition => arranging(({ taller }, { view }) => ({ taller: { ...taller, [view.pane]: within((taller[view.pane] ?? 0) + by) } }))

const roomsIn = ({ view, comfort }: ConsoleState, arrangement = comfort.arrangement): Layout['rooms'] =>
  layoutOf(view.size.columns, view.size.rows, view.pane, 0, arrangement).rooms

/** A pane grows at the cost of another. */
const whyNotAnyLarger = (state: ConsoleState): string | undefined => {
  const { arrangement } = state.comfort
  if (arrangement.zoomed) return arrangementText.zoomed
  if (Object.keys(roomsIn(state)).length > 1) return undefined
  return shownPanes(arrangement, state.view.pane).length > 1 ? arrangementText.onePane : arrangementText.lastPane
}

/** Why panes are missing, which may have been a wish of weeks ago, and the keys that show them again. */
export const arrangementNote = (state: ConsoleState): string => {
  const { view, comfort } = state
  const { zoomed, hidden } = comfort.arrangement
  // Where there is room for one pane anyway, nothing is missing by a wish.
  if (zoomed) return kindOf(view.size.columns, view.size.rows) === 'small' ? '' : keyed(state, arrangementText.isZoomed)
  const away = panes.filter((pane) => pane !== view.pane && hidden.includes(pane))
  return away.length === 0 ? '' : keyed(state, arrangementText.areHidden(away.map((pane) => `{${pane}}`).join(' ')))
}

const comesBack = ({ comfort: { hid }, view }: ConsoleState): boolean => hid !== null && hid.to === view.pane

const aboutAt = (pane: Pane, before: ConsoleState['view']['about']): ConsoleState['view']['about'] => (pane === 'log' ? before : pane)

const within = (steps: number): number => Math.max(-MOST, Math.min(MOST, steps))
