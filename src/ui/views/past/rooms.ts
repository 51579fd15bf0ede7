import { type PastOverlay, type PastPane, pastPanes } from './state.ts'

// Lays out the panes of a past moment.

/** Lines of the bar, and of the borders around three panes below each other. */
const BAR = 2
const BORDERS = 4

/** Lines inside each visible pane; without room for all of them, one at a time. */
export const pastRooms = (taken: number, pane: PastPane): Readonly<Partial<Record<PastPane, number>>> => {
  const inside = Math.max(1, taken - BAR - BORDERS)
  if (inside < 9) return { [pane]: Math.max(1, taken - BAR - 2) }
  const [agents, worktrees] = [Math.max(2, Math.floor(inside * 0.25)), Math.max(1, Math.floor(inside * 0.2))]
  return { board: inside - agents - worktrees, agents, worktrees }
}

/** The pane at a line, counted from the bar; a title belongs to its pane. */
export const pastPaneUnder = (
  { pane }: Pick<PastOverlay, 'pane'>,
  taken: number,
  line: number,
): PastPane | undefined => {
  let from = BAR
  const rooms = pastRooms(taken, pane)
  return pastPanes.find((each) => {
    const height = rooms[each]
    if (height === undefined || line < from) return false
    from += height + 1
    return line < from
  })
}
