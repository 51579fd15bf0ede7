import { plainArrangement, type Arrangement } from './preferences.ts'
import type { Pane } from './panes.ts'
import { boundless, type Needs, needsOf } from './layout/needs.ts'
import { type LayoutKind, type Rooms, roomsOf, small } from './layout/rooms.ts'
import type { ConsoleState } from './state.ts'

export { BODY_TOP, type LayoutKind, type Room, type Rooms, shownPanes } from './layout/rooms.ts'

export interface Layout {
  readonly kind: LayoutKind
  /** The inside of each visible pane. */
  readonly rooms: Rooms
  /** Lines between the header and the notice. */
  readonly body: number
}

/** Header, notice and footer take a line each, and the root is one row shorter than the terminal. */
const AROUND = 4

export const layoutOf = (
  columns: number,
  rows: number,
  pane: Pane,
  taken = 0,
  arrangement: Arrangement = plainArrangement,
  needs: Needs = boundless,
): Layout => {
  const kind = kindOf(columns, rows)
  const whole = Math.max(0, rows - AROUND)
  const rooms = arrangement.zoomed && kind !== 'none' ? small : roomsOf[kind]
  return { kind, body: whole, rooms: rooms({ columns, height: whole - taken, pane, arrangement, needs }) }
}

/**
 * The columns from which two panes beside each other cut neither titles nor lines of a log; on a screen with fewer lines
 * than this, panes below each other would cut more rows.
 */
const BESIDE = { roomy: 140, low: 100 } as const
const LOW = 32

export const kindOf = (columns: number, rows: number): LayoutKind => {
  if (columns < 40 || rows < 10) return 'none'
  if (columns <= 60 || rows <= 15) return 'small'
  return columns >= (rows < LOW ? BESIDE.low : BESIDE.roomy) ? 'wide' : 'narrow'
}

/** The parts of the state on which the rooms depend. */
type Laid = Pick<ConsoleState, 'board' | 'view' | 'log' | 'loaded' | 'preferences'>

/** The rooms of the visible panes, as large as what they hold. */
export const roomsIn = (state: Laid, arrangement = state.preferences.arrangement, taken = 0): Rooms => {
  const { size, pane } = state.view
  return layoutOf(size.columns, size.rows, pane, taken, arrangement, needsOf(state)).rooms
}

/**
 * The visible panes above `noticed` lines of a notice, which appears and disappears: only the lowest panes are
 * shortened for it, if possible.
 */
export const roomsShown = (state: Laid, noticed: number): Rooms =>
  shortened(roomsIn(state), noticed) ?? roomsIn(state, state.preferences.arrangement, noticed)

/** The same panes, with the lowest ones shortened by so many lines; undefined if one would have none left. */
const shortened = (rooms: Rooms, by: number): Rooms | undefined => {
  const bottom = Math.max(0, ...Object.values(rooms).map(({ top, height }) => top + height))
  const shorter = Object.entries(rooms).map(
    ([pane, room]) => [pane, room.top + room.height === bottom ? { ...room, height: room.height - by } : room] as const,
  )
  return shorter.every(([, { height }]) => height > 0) ? Object.fromEntries(shorter) : undefined
}

/** The index of the first visible row so that `selected` is on the screen, with the least scrolling. */
export const topFor = (top: number, selected: number, height: number, count: number): number => {
  const lowest = Math.max(0, count - height)
  const wanted = selected < top ? selected : selected >= top + height ? selected - height + 1 : top
  return Math.min(lowest, Math.max(0, wanted))
}
