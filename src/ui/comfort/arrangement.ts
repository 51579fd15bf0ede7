import { ours, type SafeText } from '../../domain/safe-text.ts'
import { keyed, shownKey } from '../key-names.ts'
import { type Layout, layoutOf, shownPanes } from '../layout.ts'
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

/** Where one pane is seen anyway, zooming it shows nothing else. */
export const whyNotZoom = (state: ConsoleState): string | undefined => (manyFit(state) ? undefined : whyOnePane(state))

export const zoom: Transition = arranging(({ zoomed }) => ({ zoomed: !zoomed }))

/** The last pane stays: something has to be there to be looked at. */
export const whyNotHide = (state: ConsoleState): string | undefined => {
  if (comesBack(state)) return undefined
  if (isZoomed(state)) return arrangementText.zoomed
  return shownPanes(state.comfort.arrangement, state.view.pane).length > 1 ? undefined : arrangementText.lastPane
}

/** Hides the pane that has the focus. Pressed again at once, it brings it back. */
export const hide: Transition = (state) => {
  const { comfort, view } = state
  if (comesBack(state)) return showPane(comfort.hid!.pane)(looking(() => ({ pane: comfort.hid!.pane, about: aboutAt(comfort.hid!.pane, view.about) }))(state))
  const rest = shownPanes(comfort.arrangement, view.pane).filter((pane) => pane !== view.pane)
  const to = rest.find((pane) => panes.indexOf(pane) > panes.indexOf(view.pane)) ?? rest[0]!
  const hidden = arranging(({ hidden: before }) => ({ hidden: [...before.filter((pane) => pane !== view.pane), view.pane] }))(state)
  const moved = looking(() => ({ pane: to, about: aboutAt(to, view.about), notice: { text: hiddenNotice(state, view.pane), tone: 'told' } }))(hidden)
  return comforting(() => ({ hid: { pane: view.pane, to } }))(moved)
}

/** A pane that one goes to is hidden no more, and nothing says so any longer. */
export const showPane =
  (pane: Pane): Transition =>
  (state) =>
    unsaying(hiddenNotice(state, pane))(arranging(({ hidden }) => (hidden.includes(pane) ? { hidden: hidden.filter((one) => one !== pane) } : {}))(state))

const hiddenNotice = (state: ConsoleState, pane: Pane): SafeText => ours(arrangementText.isHidden(arrangementText.panes[pane], shownKey(state, pane)))

/** Takes a sentence away that is no longer true; another stays. */
export const unsaying =
  (sentence: SafeText): Transition =>
  (state) =>
    state.view.notice.text === sentence ? looking(({ notice }) => ({ notice: { ...notice, text: ours('') } }))(state) : state

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

export const whyNotTaller =
  (by: 1 | -1) =>
  (state: ConsoleState): string | undefined => {
    const rooms = roomsIn(state)
    const column = Object.values(rooms).filter(({ left }) => left === rooms[state.view.pane]?.left)
    const why = whyNotAnyLarger(state) ?? (column.length > 1 ? undefined : arrangementText.besideEachOther)
    if (why !== undefined || tallerBy(state, by) !== undefined) return why
    return by === 1 ? arrangementText.tallest : arrangementText.lowest
  }

/** Moves the edges of the pane that has the focus, at the cost of those above and below it. */
export const heighten = (by: 1 | -1): Transition => arranging(({ taller }, state) => tallerBy(state, by) ?? { taller })

/** As `stepOf`, in lines: a low screen has no line for every step. */
const tallerBy = (state: ConsoleState, by: 1 | -1): Pick<Arrangement, 'taller'> | undefined => {
  const { arrangement } = state.comfort
  const { pane } = state.view
  for (let steps = (arrangement.taller[pane] ?? 0) + by; Math.abs(steps) <= MOST; steps += by) {
    const taller = { ...arrangement.taller, [pane]: steps }
    if (roomsIn(state, { ...arrangement, taller })[pane]?.height !== roomsIn(state)[pane]?.height) return { taller }
  }
  return undefined
}

const roomsIn = ({ view, comfort }: ConsoleState, arrangement = comfort.arrangement): Layout['rooms'] =>
  layoutOf(view.size.columns, view.size.rows, view.pane, 0, arrangement).rooms

/** A pane grows at the cost of another. */
const whyNotAnyLarger = (state: ConsoleState): string | undefined => {
  if (isZoomed(state)) return arrangementText.zoomed
  return manyFit(state) ? undefined : whyOnePane(state)
}

const whyOnePane = ({ comfort, view }: ConsoleState): string => (shownPanes(comfort.arrangement, view.pane).length > 1 ? arrangementText.onePane : arrangementText.lastPane)

/** Several panes are seen, or would be if none was zoomed. */
const manyFit = (state: ConsoleState): boolean => Object.keys(roomsIn(state, { ...state.comfort.arrangement, zoomed: false })).length > 1

/** Where there is room for one pane anyway, or no other is left, nothing is missing by the zoom. */
const isZoomed = (state: ConsoleState): boolean => state.comfort.arrangement.zoomed && manyFit(state)

/** Why panes are missing, which may have been a wish of weeks ago, and the keys that show them again. */
export const arrangementNote = (state: ConsoleState): string => {
  const { view, comfort } = state
  if (isZoomed(state)) return keyed(state, arrangementText.isZoomed)
  const away = panes.filter((pane) => pane !== view.pane && comfort.arrangement.hidden.includes(pane))
  return away.length === 0 ? '' : keyed(state, arrangementText.areHidden(away.map((pane) => `{${pane}}`).join(' ')))
}

const comesBack = ({ comfort: { hid }, view }: ConsoleState): boolean => hid !== null && hid.to === view.pane

const aboutAt = (pane: Pane, before: ConsoleState['view']['about']): ConsoleState['view']['about'] => (pane === 'log' ? before : pane)
