import { arranging, roomsIn, whyNotAnyLarger } from './arrangement.ts'
import type { ConsoleState, Transition } from '../core/state.ts'
import { same } from '../core/same.ts'
import type { Arrangement } from '../core/preferences.ts'
import { arrangementText } from '../../text/comfort.ts'

// Panes are resized.

/** The most steps by which a pane or a column grows. */
const MOST = 6

export const whyNotWider =
  (by: 1 | -1) =>
  (state: ConsoleState): string | undefined => {
    const why =
      whyNotAnyLarger(state) ??
      (new Set(Object.values(roomsIn(state)).map(({ left }) => left)).size > 1
        ? undefined
        : arrangementText.belowEachOther)
    if (why !== undefined || stepOf(state, by) !== undefined) return why
    return by === 1 ? arrangementText.widest : arrangementText.narrowest
  }

/** Moves the edge between the columns so that the focused one grows or shrinks. */
export const widen = (by: 1 | -1): Transition =>
  arranging(({ wider }, state) => ({ wider: stepOf(state, by) ?? wider }))

/** The next step with a visible effect: a column keeps its share, so on some screens a step changes nothing. */
const stepOf = (state: ConsoleState, by: 1 | -1): number | undefined => {
  const { arrangement } = state.preferences
  const way = state.view.pane === 'board' || state.view.pane === 'agents' ? by : -by
  for (let wider = arrangement.wider + way; Math.abs(wider) <= MOST; wider += way)
    if (!same(roomsIn(state, { ...arrangement, wider }), roomsIn(state))) return wider
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
