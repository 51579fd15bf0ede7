import type { Attention } from '../../operations/screens/attention.ts'
import { viewOf } from '../core/overlays.ts'
import type { ConsoleState } from '../core/state.ts'
import { seesAgent, seesTask, seesWorktree } from '../panes/seen-rows.ts'

/** True if the screen shows that an item waits: in its own view, in the list, or by the mark of a row. */
export const isOnScreen = (state: ConsoleState, item: Attention): boolean => {
  const { overlay } = state.view
  if (overlay) return viewOf(state, overlay).shows?.(state, overlay, item) ?? false
  return (
    (item.taskId !== null && seesTask(state, item.taskId)) ||
    (item.agentId !== null && seesAgent(state, item.agentId)) ||
    (item.worktree !== null && seesWorktree(state, item.worktree))
  )
}
