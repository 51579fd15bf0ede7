import { rangeText } from '../../text/panes.ts'
import { foldedAgents } from '../core/folded-agents.ts'
import type { Room } from '../core/layout.ts'
import type { ConsoleState, ListPane } from '../core/state.ts'
import { rowAtTop } from './list-selection.ts'
import { headIn, rowsIn } from './room.ts'

/** `1–9 of 16` beside the title of a list that does not fit; empty where all of it is visible, or nothing is known. */
export const rangeNote = (state: ConsoleState, pane: ListPane, room: Room | undefined): string => {
  if (!room || (pane === 'board' && state.view.shape.as !== 'list')) return ''
  const fit = rowsIn(state, pane, room.width, room.height)
  const { before, shown, all } = counted[pane](state, room.height)
  if (all <= fit) return ''
  const top = rowAtTop(state, pane, fit)
  return rangeText(before + top + 1, before + Math.min(shown, top + fit), all)
}

interface Counted {
  /** Rows before those that were read, those that were read, and all of them. */
  readonly before: number
  readonly shown: number
  readonly all: number
}

const whole = (shown: number): Counted => ({ before: 0, shown, all: shown })

const counted: Record<ListPane, (state: ConsoleState, height: number) => Counted> = {
  board: ({ board: { tasks, counts, moreBefore, moreAfter }, view }) => {
    if (!moreBefore && !moreAfter) return whole(tasks.length)
    // Between both ends, or among the found ones, the number of those before is unknown.
    if (view.filter !== '' || (moreBefore && moreAfter)) return whole(0)
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return { before: moreBefore ? all - tasks.length : 0, shown: tasks.length, all }
  },
  agents: (state, height) => {
    const { shown, folded } = foldedAgents(state)
    const hasLine = height - headIn(height) > 1 || shown.length === 0
    return { before: 0, shown: shown.length, all: shown.length + (hasLine ? 0 : folded) }
  },
  worktrees: ({ board }) => whole(board.worktrees.length),
}
