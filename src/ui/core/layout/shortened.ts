import type { Pane } from '../panes.ts'
import type { Needs } from './needs.ts'
import type { Room, Rooms } from './rooms.ts'

/**
 * The panes with so many lines less in each column; undefined if a pane would have none left. The lowest possible pane
 * is shortened, because those below it move.
 */
export const shortened = (rooms: Rooms, by: number, needs: Needs): Rooms | undefined => {
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
