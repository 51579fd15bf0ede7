import { ours } from '../../domain/safe-text.ts'
import { kindOf, layoutOf, shownPanes } from '../layout.ts'
import { type ConsoleState, looking, type Pane, panes, type Transition } from '../state.ts'
import type { Arrangement, Comfort } from './state.ts'

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
  if (state.comfort.arrangement.zoomed) return 'The pane is zoomed; + shows the others again.'
  return shownPanes(state.comfort.arrangement, state.view.pane).length > 1 ? undefined : 'This is the last pane; the number of another shows that again.'
}

/** Hides the pane that has the focus. Pressed again at once, it brings it back. */
export const hide: Transition = (state) => {
  const { comfort, view } = state
  if (comesBack(state)) return showPane(comfort.hid!.pane)(looking(() => ({ pane: comfort.hid!.pane, about: aboutAt(comfort.hid!.pane, view.about) }))(state))
  const rest = shownPanes(comfort.arrangement, view.pane).filter((pane) => pane !== view.pane)
  const to = rest.find((pane) => panes.indexOf(pane) > panes.indexOf(view.pane)) ?? rest[0]!
  const hidden = arranging(({ hidden: before }) => ({ hidden: [...before.filter((pane) => pane !== view.pane), view.pane] }))(state)
  const moved = looking(() => ({
    pane: to,
    about: aboutAt(to, view.about),
    notice: { text: ours(`${names[view.pane]} is hidden; ${panes.indexOf(view.pane) + 1} brings it back.`), tone: 'told' },
  }))(hidden)
  return comforting(() => ({ hid: { pane: view.pane, to } }))(moved)
}

/** A pane that one goes to is hidden no more. */
export const showPane = (pane: Pane): Transition => arranging(({ hidden }) => (hidden.includes(pane) ? { hidden: hidden.filter((one) => one !== pane) } : {}))

export const whyNotWider = ({ view, comfort }: ConsoleState): string | undefined => {
  if (comfort.arrangement.zoomed) return ZOOMED
  if (kindOf(view.size.columns, view.size.rows) === 'small') return ONE_PANE
  const lefts = new Set(Object.values(layoutOf(view.size.columns, view.size.rows, view.pane, 0, comfort.arrangement).rooms).map((room) => room.left))
  return lefts.size > 1 ? undefined : 'The panes stand below each other here; { and } make one lower or taller.'
}

/** Moves the edge between the columns so that the one with the focus grows, or gives way. */
export const widen = (by: 1 | -1): Transition => arranging(({ wider }, { view }) => ({ wider: within(wider + (view.pane === 'board' || view.pane === 'agents' ? by : -by)) }))

export const whyNotTaller = ({ view, comfort }: ConsoleState): string | undefined => {
  if (comfort.arrangement.zoomed) return ZOOMED
  return kindOf(view.size.columns, view.size.rows) === 'small' ? ONE_PANE : undefined
}

export const heighten = (by: 1 | -1): Transition => arranging(({ taller }, { view }) => ({ taller: { ...taller, [view.pane]: within((taller[view.pane] ?? 0) + by) } }))

const ZOOMED = 'The pane is zoomed; + shows the others again.'

const ONE_PANE = 'The terminal has room for one pane.'

const names: Readonly<Record<Pane, string>> = { board: 'The board', agents: 'The list of agents', log: 'The log', worktrees: 'The list of worktrees' }

const comesBack = ({ comfort: { hid }, view }: ConsoleState): boolean => hid !== null && hid.to === view.pane

const aboutAt = (pane: Pane, before: ConsoleState['view']['about']): ConsoleState['view']['about'] => (pane === 'log' ? before : pane)

const within = (steps: number): number => Math.max(-MOST, Math.min(MOST, steps))
