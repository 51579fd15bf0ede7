import { panes, type Pane } from '../panes.ts'
import type { Arrangement, Borders } from '../preferences.ts'
import { type Column, heightsIn } from './heights.ts'
import type { Needs } from './needs.ts'

/** Lines and columns inside a pane's border, and the position of its first character on the screen, counted from 0. */
export interface Room {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly top: number
}

export type Rooms = Readonly<Partial<Record<Pane, Room>>>

export type LayoutKind = 'wide' | 'narrow' | 'small' | 'none'

/** The line below the header. */
export const BODY_TOP = 1

export interface Asked {
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
export const small = ({ columns, height, pane }: Asked): Rooms =>
  height < 3 ? {} : { [pane]: { width: columns - 2, height: height - 2, left: 1, top: BODY_TOP + 1 } }

export const roomsOf: Record<LayoutKind, (asked: Asked) => Rooms> = { wide, narrow, small, none: () => ({}) }

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
