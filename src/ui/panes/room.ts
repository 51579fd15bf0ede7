import { cardsThatFit } from '../core/board-window.ts'
import { layoutOf } from '../core/layout.ts'
import type { ConsoleState } from '../core/state.ts'
import type { Pane } from '../core/panes.ts'

/** Rows of a list that fit: its room without the heading. */
export const rowsThatFit = (state: ConsoleState, pane: Pane): number => {
  const { size, shape } = state.view
  const room = layoutOf(size.columns, size.rows, pane, 0, state.preferences.arrangement).rooms[pane]
  if (pane === 'board' && shape.as === 'columns') return cardsThatFit(room?.height ?? 2)
  return Math.max(1, (room?.height ?? 2) - (pane === 'board' || pane === 'agents' ? 1 : 0))
}
