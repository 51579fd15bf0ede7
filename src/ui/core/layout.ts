import { plainArrangement, type Arrangement } from './preferences.ts'
import type { Pane } from './panes.ts'
import { boundless, type Needs, needsOf } from './layout/needs.ts'
import { type LayoutKind, type Rooms, roomsOf, small } from './layout/rooms.ts'
import { shortened } from './layout/shortened.ts'
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
  const kind = kindOf(columns, rows, needs.stacked)
  const whole = Math.max(0, rows - AROUND)
  const rooms = arrangement.zoomed && kind !== 'none' ? small : roomsOf[kind]
  return { kind, body: whole, rooms: rooms({ columns, height: whole - taken, pane, arrangement, needs }) }
}

/**
 * The columns from which two panes beside each other cut neither titles nor lines of a log; on a screen with fewer lines
 * than this, panes below each other would cut rows of longer lists.
 */
const BESIDE = { roomy: 140, low: 100 } as const
const LOW = 32

/** `lists`: the lines that all rows of the lists need below each other. */
export const kindOf = (columns: number, rows: number, lists = Infinity): LayoutKind => {
  if (columns < 40 || rows < 10) return 'none'
  if (columns <= 60 || rows <= 15) return 'small'
  const cutsRows = rows < LOW && lists > rows - AROUND
  return columns >= (cutsRows ? BESIDE.low : BESIDE.roomy) ? 'wide' : 'narrow'
}

/** The parts of the state on which the rooms depend. */
type Laid = Pick<ConsoleState, 'board' | 'view' | 'log' | 'loaded' | 'preferences'>

/** The layout of the panes. */
export const kindIn = (state: Laid): LayoutKind =>
  kindOf(state.view.size.columns, state.view.size.rows, needsOf(state).stacked)

/** The rooms of the visible panes, as large as what they hold. */
export const roomsIn = (state: Laid, arrangement = state.preferences.arrangement, taken = 0): Rooms => {
  const { size, pane } = state.view
  return layoutOf(size.columns, size.rows, pane, taken, arrangement, needsOf(state)).rooms
}

/**
 * The visible panes above `noticed` lines of a notice, which appears and disappears: a column loses lines that hold
 * nothing, then lines of the log, and only then rows of its lowest pane, which its title counts.
 */
export const roomsShown = (state: Laid, noticed: number): Rooms => {
  const rooms = roomsIn(state)
  if (noticed === 0) return rooms
  return shortened(rooms, noticed, needsOf(state)) ?? roomsIn(state, state.preferences.arrangement, noticed)
}

/** The index of the first visible row so that `selected` is on the screen, with the least scrolling. */
export const topFor = (top: number, selected: number, height: number, count: number): number => {
  const lowest = Math.max(0, count - height)
  const wanted = selected < top ? selected : selected >= top + height ? selected - height + 1 : top
  return Math.min(lowest, Math.max(0, wanted))
}
