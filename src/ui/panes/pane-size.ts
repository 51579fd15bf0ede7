import { arranging, whyNotAnyLarger } from './arrangement.ts'
import { bordersIn } from './borders.ts'
import { kindIn, roomsIn } from '../core/layout.ts'
import type { Borders, ConsoleState, Pane, Transition } from '../core/state.ts'
import { arrangementText } from '../../text/panes.ts'

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
