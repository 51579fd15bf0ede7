import { ours } from '../../domain/safe-text.ts'
import { kindOf, layoutOf, shownPanes } from '../layout.ts'
import { type ConsoleState, looking, type Pane, panes, type Transition } from '../state.ts'
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

export const whyNotWider = ({ view, comfort }: ConsoleState): string | undefined => {
  if (comfort.arrangement.zoomed) return arrangementText.zoomed
  if (kindOf(view.size.columns, view.size.rows) === 'small') return arrangementText.onePane
  const lefts = new Set(Object.values(layoutOf(view.size.columns, view.size.rows, view.pane, 0, comfort.arrangement).rooms).map((room) => room.left))
  return lefts.size > 1 ? undefined : arrangementText.belowEachOther
}

/** Moves the edge between the columns so that the one with the focus grows, or gives way. */
export const widen = (by: 1 | -1): Transition => arranging(({ wider }, { view }) => ({ wider: within(wider + (view.pane === 'board' || view.pane === 'agents' ? by : -by)) }))

export const whyNotTaller = ({ view, comfort }: ConsoleState): string | undefined => {
  if (comfort.arrangement.zoomed) return arrangementText.zoomed
  return kindOf(view.size.columns, view.size.rows) === 'small' ? arrangementText.onePane : undefined
}

export const heighten = (by: 1 | -1): Transition => arranging(({ taller }, { view }) => ({ taller: { ...taller, [view.pane]: within((taller[view.pane] ?? 0) + by) } }))

const comesBack = ({ comfort: { hid }, view }: ConsoleState): boolean => hid !== null && hid.to === view.pane

const aboutAt = (pane: Pane, before: ConsoleState['view']['about']): ConsoleState['view']['about'] => (pane === 'log' ? before : pane)

const within = (steps: number): number => Math.max(-MOST, Math.min(MOST, steps))
