import { cardsThatFit } from '../core/board-window.ts'
import { roomsIn } from '../core/layout.ts'
import { foldedAgents } from '../core/folded-agents.ts'
import { boardWidths, TASK } from '../core/pane-needs.ts'
import type { ConsoleState, Pane } from '../core/state.ts'

/** Rows of a list that fit: its room without the heading, and without the line for the reason of the selected row. */
export const rowsThatFit = (state: ConsoleState, pane: Pane): number => {
  const room = roomsIn(state)[pane]
  if (pane === 'board' && state.view.shape.as === 'columns') return cardsThatFit(room?.height ?? 2)
  return rowsIn(state, pane, room?.width ?? 0, room?.height ?? 2)
}

/** As `rowsThatFit`, in a room of so many columns and lines. */
export const rowsIn = (state: ConsoleState, pane: Pane, width: number, height: number): number =>
  Math.max(1, height - (pane === 'log' ? 0 : headIn(height)) - (hasLastLine(state, pane, width, height) ? 1 : 0))

/** True if the last line of a list is none of its rows: a reason, or the number of ended agents. */
const hasLastLine = (state: ConsoleState, pane: Pane, width: number, height: number): boolean =>
  (pane === 'board' && saysReason(state, width, height)) || (pane === 'agents' && foldedAgents(state).folded > 0)

/** Lines of a heading: none in a room of one line. */
export const headIn = (height: number): 0 | 1 => (height > 1 ? 1 : 0)

/** The fewest lines of a board with a line for a reason, and the columns that a reason needs after the longest title. */
const [LOWEST, REASON] = [5, 40] as const

/** True if a task may have a reason and the titles leave no room for it: that of the selected row has a line of its own. */
export const saysReason = ({ board, view }: ConsoleState, width: number, height: number): boolean => {
  if (view.shape.as !== 'list' || height < LOWEST || board.tasks.length === 0) return false
  const { agent, title, explains } = boardWidths(board.tasks)
  return explains && width - TASK - agent - title < REASON
}
