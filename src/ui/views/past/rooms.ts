import { heightsIn } from '../../core/layout.ts'
import { boundless, type Needs } from '../../core/pane-needs.ts'
import type { ConsoleState } from '../../core/state.ts'
import { momentOf } from './moment.ts'
import { type PastOverlay, type PastPane, pastPanes } from './state.ts'

// Lays out the panes of a past moment.

/** Lines of the bar, and of the borders around three panes below each other. */
const BAR = 2
const BORDERS = 4

/** Lines inside each visible pane; without room for all of them, one at a time. */
export const pastRooms = (
  { past }: Pick<ConsoleState, 'past'>,
  taken: number,
  pane: PastPane,
): Readonly<Partial<Record<PastPane, number>>> => {
  const inside = Math.max(1, taken - BAR - BORDERS)
  if (inside < 9) return { [pane]: Math.max(1, taken - BAR - 2) }
  const [board, agents, worktrees] = heightsIn(
    {
      panes: pastPanes,
      shares: { board: 0.5, agents: 0.3, worktrees: 0.2, log: 0 },
      order: ['agents', 'worktrees', 'board'],
    },
    inside,
    needsOf(past),
    {},
  )
  return { board: board!, agents: agents!, worktrees: worktrees! }
}

/** The lines of the last moment, so that no border moves while one steps through the others. */
const needsOf = ({ events }: ConsoleState['past']): Needs => {
  const { tasks, agents, worktrees } = momentOf(events, events.length)
  const need = (rows: number) => ({ lines: rows === 0 ? 1 : rows + 1, columns: 0, least: 0 })
  return { ...boundless, board: need(tasks.size), agents: need(agents.size), worktrees: need(worktrees.size) }
}

/** The pane at a line, counted from the bar; a title belongs to its pane. */
export const pastPaneUnder = (
  state: Pick<ConsoleState, 'past'>,
  { pane }: Pick<PastOverlay, 'pane'>,
  taken: number,
  line: number,
): PastPane | undefined => {
  let from = BAR
  const rooms = pastRooms(state, taken, pane)
  return pastPanes.find((each) => {
    const height = rooms[each]
    if (height === undefined || line < from) return false
    from += height + 1
    return line < from
  })
}
