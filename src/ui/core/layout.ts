import { boundless, type Needs, needsOf } from './pane-needs.ts'
import { type Arrangement, type Borders, type ConsoleState, type Pane, panes, plainArrangement } from './state.ts'

// The layout of the screen: the places of the panes.

interface Layout {
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

/** Lines and columns inside a pane's border, and the position of its first character on the screen, counted from 0. */
export interface Room {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly top: number
}

export type Rooms = Readonly<Partial<Record<Pane, Room>>>

type LayoutKind = 'wide' | 'narrow' | 'small' | 'none'

/** The line below the header. */
export const BODY_TOP = 1

interface Asked {
  readonly columns: number
  readonly height: number
  readonly pane: Pane
  readonly arrangement: Arrangement
  readonly needs: Needs
}

/** The panes that are not hidden. The focused one is always visible. */
export const shownPanes = ({ hidden }: Arrangement, focused: Pane): readonly Pane[] =>
  panes.filter((pane) => pane === focused || !hidden.includes(pane))

export const unmoved: Borders = { heights: {} }

/** Two columns; their dividers are adjacent. */
const wide = ({ columns, height, pane, arrangement, needs }: Asked): Rooms => {
  if (height - 3 < 4) return {}
  const shown = shownPanes(arrangement, pane)
  const borders = arrangement.borders.wide ?? unmoved
  const first = shown.filter((each) => each === 'board' || each === 'agents')
  const second = shown.filter((each) => each === 'log' || each === 'worktrees')
  const column = {
    shares: { board: 0.6, agents: 0.4, log: 0.55, worktrees: 0.45 },
    order: ['agents', 'board', 'worktrees', 'log'],
  } as const
  if (first.length === 0 || second.length === 0)
    return stacked({ ...column, panes: shown }, { columns, left: 0, height }, needs, borders)
  const left = leftColumns(columns, first, second, needs, borders)
  return {
    ...stacked({ ...column, panes: first }, { columns: left, left: 0, height }, needs, borders),
    ...stacked({ ...column, panes: second }, { columns: columns - left, left, height }, needs, borders),
  }
}

/** The fewest columns of a column, of the log beside a board that needs them, and of a right column without content. */
const [NARROWEST, LOG, SILENT] = [24, 90, 32] as const

/** The left column is as wide as its rows. The lines of a log are cut before titles and names, but after all else. */
const leftColumns = (
  columns: number,
  first: readonly Pane[],
  second: readonly Pane[],
  needs: Needs,
  { left: moved }: Borders,
): number => {
  if (moved !== undefined) return Math.max(NARROWEST, Math.min(columns - NARROWEST, moved))
  const wanted = 2 + Math.max(...first.map((pane) => needs[pane].columns))
  const isSilent = second.every((pane) => needs[pane].lines <= 1)
  const least = 2 + Math.max(...first.map((pane) => needs[pane].least))
  const most = isSilent ? columns - SILENT : Math.max(Math.min(Math.floor(columns * 0.64), least), columns - LOG)
  return Math.max(Math.floor(columns * 0.45), Math.min(most, wanted))
}

/** Panes below each other; the log gets the lines that the lists leave. */
const narrow = (asked: Asked): Rooms => {
  const { columns, height, pane, arrangement, needs } = asked
  const shown = shownPanes(arrangement, pane)
  if (height - shown.length - 1 < 2 * shown.length) return small(asked)
  return stacked(
    {
      panes: shown,
      shares: { board: 0.42, agents: 0.22, log: 0.14, worktrees: 0.22 },
      order: ['board', 'agents', 'worktrees', 'log'],
    },
    { columns, left: 0, height },
    needs,
    arrangement.borders.narrow ?? unmoved,
  )
}

/** Only the focused pane. */
const small = ({ columns, height, pane }: Asked): Rooms =>
  height < 3 ? {} : { [pane]: { width: columns - 2, height: height - 2, left: 1, top: BODY_TOP + 1 } }

const roomsOf: Record<LayoutKind, (asked: Asked) => Rooms> = { wide, narrow, small, none: () => ({}) }

/** Panes below each other between the lines of their titles. */
const stacked = (
  column: Column,
  { columns, left, height }: { readonly columns: number; readonly left: number; readonly height: number },
  needs: Needs,
  borders: Borders,
): Rooms => {
  const heights = heightsIn(column, height - column.panes.length - 1, needs, borders.heights)
  let top = BODY_TOP + 1
  return Object.fromEntries(
    column.panes.map((pane, index) => {
      const room = { width: columns - 2, height: heights[index]!, left: left + 1, top }
      top += heights[index]! + 1
      return [pane, room]
    }),
  )
}

/** The panes of a column from the top, with the share of it that each may take from those that need more. */
interface Column {
  readonly panes: readonly Pane[]
  readonly shares: Readonly<Record<Pane, number>>
  /** The panes in the order in which they get the lines that others leave. */
  readonly order: readonly Pane[]
}

/**
 * The lines of each pane of a column. A pane gets what it needs, up to its share, and what others do not need; the
 * rest goes to one that has no end, or to the first. A border that a person has moved stays where it is.
 */
export const heightsIn = (
  { panes, shares, order }: Column,
  inside: number,
  needs: Needs,
  moved: Borders['heights'],
): readonly number[] => {
  const sum = panes.reduce((all, pane) => all + shares[pane], 0)
  const share = (pane: Pane): number => Math.max(2, Math.floor((inside * shares[pane]) / sum))
  const heights = new Map(panes.map((pane) => [pane, Math.min(needs[pane].lines, share(pane))]))
  shrink(heights, inside)
  for (const pane of order) {
    const left = inside - total(heights)
    if (heights.has(pane) && left > 0) heights.set(pane, Math.min(needs[pane].lines, heights.get(pane)! + left))
  }
  const rest = panes.find((pane) => needs[pane].lines === Infinity) ?? panes[0]!
  heights.set(rest, heights.get(rest)! + Math.max(0, inside - total(heights)))
  return withMoved(panes, heights, inside, moved)
}

/** Takes lines from the largest pane until all fit; each keeps one. */
const shrink = (heights: Map<Pane, number>, inside: number): void => {
  for (let over = total(heights) - inside; over > 0; over--) {
    const [pane, most] = [...heights].reduce((a, b) => (b[1] > a[1] ? b : a))
    if (most <= 1) return
    heights.set(pane, most - 1)
  }
}

/** The first pane has what the moved ones leave. */
const withMoved = (
  panes: readonly Pane[],
  heights: ReadonlyMap<Pane, number>,
  inside: number,
  moved: Borders['heights'],
): readonly number[] => {
  if (panes.slice(1).every((pane) => moved[pane] === undefined)) return panes.map((pane) => heights.get(pane)!)
  const all = panes.map((pane) => heights.get(pane)!)
  let left = inside - panes.length
  for (const [at, pane] of panes.entries()) {
    if (at === 0) continue
    all[at] = 1 + Math.max(0, Math.min(left, (moved[pane] ?? all[at]!) - 1))
    left -= all[at] - 1
  }
  all[0] = 1 + left
  return all
}

const total = (heights: ReadonlyMap<Pane, number>): number => [...heights.values()].reduce((sum, one) => sum + one, 0)

/**
 * The panes with so many lines less in each column; undefined if a pane would have none left. The lowest possible pane
 * is shortened, because those below it move.
 */
const shortened = (rooms: Rooms, by: number, needs: Needs): Rooms | undefined => {
  const all = Object.entries(rooms) as readonly (readonly [Pane, Room])[]
  const columns = [...Map.groupBy(all, ([, { left }]) => left).values()].map((column) => shorter(column, by, needs))
  return columns.some((column) => column === undefined)
    ? undefined
    : Object.fromEntries(columns.flatMap((c) => c ?? []))
}

type PlacedColumn = readonly (readonly [Pane, Room])[]

const shorter = (column: PlacedColumn, by: number, needs: Needs): PlacedColumn | undefined => {
  const upwards = column.toSorted(([, a], [, b]) => b.top - a.top)
  const [giving] =
    upwards.find(([pane, { height }]) => height - by >= Math.max(1, needs[pane].lines)) ??
    upwards.find(([pane, { height }]) => pane === 'log' && height > by) ??
    upwards[0]!
  const { top, height } = column.find(([pane]) => pane === giving)![1]
  if (height <= by) return undefined
  return column.map(([pane, room]) => {
    if (pane === giving) return [pane, { ...room, height: height - by }]
    return [pane, room.top > top ? { ...room, top: room.top - by } : room]
  })
}
