import { type Arrangement, plainArrangement } from './preferences.ts'
import type { Pane } from './panes.ts'
import { panes } from './panes.ts'

/** Lines and columns inside a pane's border, and the position of its first character on the screen, counted from 0. */
export interface Room {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly top: number
}

export type LayoutKind = 'wide' | 'narrow' | 'small' | 'none'

export interface Layout {
  readonly kind: LayoutKind
  /** The inside of each visible pane. */
  readonly rooms: Readonly<Partial<Record<Pane, Room>>>
  /** Lines between the header and the notice. */
  readonly body: number
}

/** Header, notice and footer take a line each, and the root is one row shorter than the terminal. */
const AROUND = 4

/** The line below the header. */
export const BODY_TOP = 1

export const layoutOf = (
  columns: number,
  rows: number,
  pane: Pane,
  taken = 0,
  arrangement: Arrangement = plainArrangement,
): Layout => {
  const kind = kindOf(columns, rows)
  const whole = Math.max(0, rows - AROUND)
  const roomsFor = arrangement.zoomed && kind !== 'none' ? small : roomsOf[kind]
  return { kind, body: whole, rooms: roomsFor(columns, whole - taken, pane, arrangement) }
}

export const kindOf = (columns: number, rows: number): LayoutKind => {
  if (columns < 40 || rows < 10) return 'none'
  if (columns <= 60 || rows <= 15) return 'small'
  return columns >= 100 ? 'wide' : 'narrow'
}

/**
 * The visible panes above `noticed` lines of a notice, which appears and disappears: only the lowest panes are
 * shortened for it, if possible.
 */
export const roomsShown = (
  columns: number,
  rows: number,
  pane: Pane,
  noticed: number,
  arrangement: Arrangement,
): Layout['rooms'] =>
  shortened(layoutOf(columns, rows, pane, 0, arrangement).rooms, noticed) ??
  layoutOf(columns, rows, pane, noticed, arrangement).rooms

/** The same panes, with the lowest ones shortened by so many lines; undefined if one would have none left. */
const shortened = (rooms: Layout['rooms'], by: number): Layout['rooms'] | undefined => {
  const bottom = Math.max(0, ...Object.values(rooms).map(({ top, height }) => top + height))
  const shorter = Object.entries(rooms).map(
    ([pane, room]) => [pane, room.top + room.height === bottom ? { ...room, height: room.height - by } : room] as const,
  )
  return shorter.every(([, { height }]) => height > 0) ? Object.fromEntries(shorter) : undefined
}

/** The panes that are not hidden. The focused one is always visible. */
export const shownPanes = ({ hidden }: Arrangement, focused: Pane): readonly Pane[] =>
  panes.filter((pane) => pane === focused || !hidden.includes(pane))

type Rooms = (columns: number, height: number, pane: Pane, arrangement: Arrangement) => Layout['rooms']

/** Two columns; their dividers are adjacent. */
const wide: Rooms = (columns, height, pane, arrangement) => {
  if (height - 3 < 4) return {}
  const shown = shownPanes(arrangement, pane)
  const [first, second] = [
    shown.filter((each) => each === 'board' || each === 'agents'),
    shown.filter((each) => each === 'log' || each === 'worktrees'),
  ]
  const weights = { board: 0.64, agents: 0.36, log: 0.64, worktrees: 0.36 }
  if (first.length === 0 || second.length === 0)
    return stacked(shown, { columns, left: 0, height }, weights, arrangement)
  // The board needs its columns; a wide screen is halved.
  const share = (columns < 160 ? 0.55 : 0.5) + arrangement.wider * STEP
  const left = Math.floor(columns * Math.min(0.75, Math.max(0.25, share)))
  return {
    ...stacked(first, { columns: left, left: 0, height }, weights, arrangement),
    ...stacked(second, { columns: columns - left, left, height }, weights, arrangement),
  }
}

/** Panes below each other; the board gets most lines. */
const narrow: Rooms = (columns, height, pane, arrangement) => {
  const shown = shownPanes(arrangement, pane)
  if (height - shown.length - 1 < 2 * shown.length) return small(columns, height, pane, arrangement)
  return stacked(
    shown,
    { columns, left: 0, height },
    { board: 0.4, agents: 0.22, log: 0.22, worktrees: 0.16 },
    arrangement,
  )
}

/** Only the focused pane. */
const small: Rooms = (columns, height, pane) =>
  height < 3 ? {} : { [pane]: { width: columns - 2, height: height - 2, left: 1, top: BODY_TOP + 1 } }

const roomsOf: Record<LayoutKind, Rooms> = { wide, narrow, small, none: () => ({}) }

/** The fraction of the screen by which one step moves a column. */
const STEP = 0.04

/** Panes below each other between the lines of their titles: the first gets the remaining lines. */
const stacked = (
  shown: readonly Pane[],
  { columns, left, height }: { readonly columns: number; readonly left: number; readonly height: number },
  weights: Readonly<Record<Pane, number>>,
  { taller }: Arrangement,
): Layout['rooms'] => {
  const inside = height - shown.length - 1
  const weight = (pane: Pane): number => weights[pane] * 1.3 ** (taller[pane] ?? 0)
  const sum = shown.reduce((all, pane) => all + weight(pane), 0)
  const heights = shown.map((pane, index) => (index === 0 ? 0 : Math.max(1, Math.floor((inside * weight(pane)) / sum))))
  // Each pane keeps a line, however much the others have grown.
  while (inside - total(heights) < 1 && Math.max(...heights) > 1) heights[heights.indexOf(Math.max(...heights))]! -= 1
  heights[0] = inside - total(heights)
  return Object.fromEntries(
    shown.map((pane, index) => [
      pane,
      {
        width: columns - 2,
        height: heights[index]!,
        left: left + 1,
        top: BODY_TOP + 1 + index + total(heights.slice(0, index)),
      },
    ]),
  )
}

const total = (heights: readonly number[]): number => heights.reduce((sum, height) => sum + height, 0)

/** The index of the first visible row so that `selected` is on the screen, with the least scrolling. */
export const topFor = (top: number, selected: number, height: number, count: number): number => {
  const lowest = Math.max(0, count - height)
  const wanted = selected < top ? selected : selected >= top + height ? selected - height + 1 : top
  return Math.min(lowest, Math.max(0, wanted))
}
