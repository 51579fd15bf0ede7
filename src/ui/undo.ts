import { requestIntegration } from '../operations/request-integration.ts'
import { undoIntegration } from '../operations/undo-integration.ts'
import { openApproval, preparedReceipt } from './approval.ts'
import type { Desk } from './desk.ts'
import { selectWorktree } from './movement.ts'
import { selectedWorktree } from './selection.ts'
import { undoText } from '../text/integration.ts'

/** `z`: the revert of the last integration, or of the selected worktree's, as a worktree whose approval view opens. */
export const undo = (desk: Desk): void => {
  const state = desk.state()
  const chosen = state.view.about === 'worktrees' ? selectedWorktree(state) : undefined
  const input = chosen?.status === 'integrated' ? { worktreeName: chosen.name } : {}
  desk.perform(undoIntegration, input, (worktree) => {
    desk.change(selectWorktree(worktree.name))
    desk.change(openApproval(worktree.name))
    desk.perform(requestIntegration, { worktreeName: worktree.name }, (prepared) =>
      prepared.integration?.status === 'ready' ? undoText.isReady(prepared.name) : preparedReceipt(prepared),
    )
    return undoText.isMade(worktree.name)
  })
}
