import type { Pane } from './state.ts'
import { panes } from './state.ts'

/** Lines inside of a pane's border, and columns. */
export interface Room {
  readonly width: number
  readonly height: number
}

export type LayoutKind = 'wide' | 'narrow' | 'small' | 'none'

export interface Layout {
  readonly kind: LayoutKind
  /** What each pane that is shown has inside its border. */
  readonly rooms: Readonly<Partial<Record<Pane, Room>>>
  /** Lines between the header and the notice. */
  readonly body: number
}

/** Header, notice and footer take a line each, and the root stays one row below the terminal's height. */
const AROUND = 4

export const layoutOf = (columns: number, rows: number, pane: Pane, taken = 0): Layout => {
  const kind = kindOf(columns, rows)
  const whole = Math.max(0, rows - AROUND)
  return { kind, body: whole, rooms: roomsOf[kind](columns, whole - taken, pane) }
}

export const kindOf = (columns: number, rows: number): LayoutKind => {
  if (columns < 40 || rows < 10) return 'none'
  if (columns <= 60 || rows <= 15) return 'small'
  return columns >= 100 ? 'wide' : 'narrow'
}

type Rooms = (columns: number, height: number, pane: Pane) => Layout['rooms']

/** Two columns, as in the picture of DESIGN section 7; their dividers stand side by side. */
const wide: Rooms = (columns, height) => {
  const inside = height - 3
  if (inside < 4) return {}
  // The board needs its columns; a screen that has plenty is halved.
  const left = Math.floor(columns * (columns < 160 ? 0.55 : 0.5))
  const upper = Math.ceil(inside * 0.64)
  const room = (width: number, lines: number): Room => ({ width: width - 2, height: lines })
  return {
    board: room(left, upper),
    agents: room(left, inside - upper),
    log: room(columns - left, upper),
    worktrees: room(columns - left, inside - upper),
  }
}

/** One below the other; the board gets most. */
const narrow: Rooms = (columns, height, pane) => {
  const inside = height - 5
  if (inside < 8) return small(columns, height, pane)
  const agents = Math.max(2, Math.floor(inside * 0.22))
  const log = Math.max(2, Math.floor(inside * 0.22))
  const worktrees = Math.max(1, Math.floor(inside * 0.16))
  const heights: Record<Pane, number> = { board: inside - agents - log - worktrees, agents, log, worktrees }
  return Object.fromEntries(panes.map((each) => [each, { width: columns - 2, height: heights[each] }]))
}

/** Only the pane that has the focus. */
const small: Rooms = (columns, height, pane) => (height < 3 ? {} : { [pane]: { width: columns - 2, height: height - 2 } })

const roomsOf: Record<LayoutKind, Rooms> = { wide, narrow, small, none: () => ({}) }

/** Index of the first visible row so that `selected` is on the screen, moving as little as possible. */
export const topFor = (top: number, selected: number, height: number, count: number): number => {
  const lowest = Math.max(0, count - height)
  const wanted = selected < top ? selected : selected >= top + height ? selected - height + 1 : top
  return Math.min(lowest, Math.max(0, wanted))
}
