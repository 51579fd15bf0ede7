import { kindIn, type Rooms, roomsIn, unmoved } from '../core/layout.ts'
import type { Borders, ConsoleState, Pane } from '../core/state.ts'

// The borders between the panes, which keys and the mouse move.

/** The border above a pane, or the one between the columns. */
export type Border = Pane | 'columns'

/** The moved borders of the present layout. */
export const bordersIn = (state: ConsoleState): Borders => {
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
