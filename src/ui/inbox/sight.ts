import { waitingPlace } from '../../domain/attention.ts'
import type { Attention } from '../../operations/read-board.ts'
import type { ConsoleState } from '../state.ts'
import { inboxItems, itemsThatFit } from './list.ts'

/** Whether a person who looks at the screen sees what an item asks: in its own sheet, in the list, or in the row that is selected. */
export const isOnScreen = (state: ConsoleState, item: Attention): boolean => {
  const { overlay, pane, task, agent, worktree } = state.view
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
      if (pane === 'board') return item.taskId !== null && item.taskId === task && item.requestId === null
      if (pane === 'agents') return item.requestId !== null && item.agentId === agent
      return pane === 'worktrees' && item.worktree !== null && item.worktree === worktree
    default:
      return false
  }
}
