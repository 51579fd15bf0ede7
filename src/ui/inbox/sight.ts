import { waitingPlace } from '../../domain/attention.ts'
import type { Attention } from '../../operations/read-board.ts'
import type { ConsoleState } from '../state.ts'
import { inboxItems, itemsThatFit } from './list.ts'
import { seesAgent, seesTask, seesWorktree } from './seen-rows.ts'

/** Whether a person who looks at the screen sees that an item waits: in its own sheet, in the list, or by the mark of a row. */
export const isOnScreen = (state: ConsoleState, item: Attention): boolean => {
  const { overlay, task, agent, worktree } = state.view
  switch (overlay?.kind) {
    case 'inbox':
      return inboxItems(state)
        .slice(overlay.top, overlay.top + itemsThatFit(state))
        .some(({ place }) => place === waitingPlace(item))
    case 'request':
      return overlay.request === item.requestId
    case 'approval':
      return overlay.worktree === item.worktree
    case 'guard':
      return item.kind === 'configuration'
    case 'budget':
      return item.kind === 'budget' && overlay.taskId === item.taskId
    case 'detail':
      return overlay.of === 'board'
        ? item.taskId !== null && item.taskId === task
        : overlay.of === 'worktrees'
          ? item.worktree !== null && item.worktree === worktree
          : item.agentId !== null && item.agentId === agent
    case undefined:
      return (
        (item.taskId !== null && seesTask(state, item.taskId)) ||
        (item.agentId !== null && seesAgent(state, item.agentId)) ||
        (item.worktree !== null && seesWorktree(state, item.worktree))
      )
    default:
      return false
  }
}
