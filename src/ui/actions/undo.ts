import { requestIntegration } from '../../operations/integration/request.ts'
import { undoIntegration } from '../../operations/integration/decisions.ts'
import { openApproval, preparedReceipt } from './integrate.ts'
import type { Controller } from '../core/controller.ts'
import { selectWorktree } from '../panes/movement.ts'
import { selectedWorktree } from '../core/selection.ts'
import { undoText } from '../../text/integration.ts'

/** `z`: reverts the last integration, or that of the selected worktree, in a worktree whose approval view opens. */
export const undo = (controller: Controller): void => {
  const state = controller.state()
  const chosen = state.view.about === 'worktrees' ? selectedWorktree(state) : undefined
  const input = chosen?.status === 'integrated' ? { worktreeName: chosen.name } : {}
  controller.perform(undoIntegration, input, (worktree) => {
    controller.change(selectWorktree(worktree.name))
    controller.change(openApproval(worktree.name))
    controller.perform(requestIntegration, { worktreeName: worktree.name }, (prepared) =>
      prepared.integration?.status === 'ready' ? undoText.isReady(prepared.name) : preparedReceipt(prepared),
    )
    return undoText.isMade(worktree.name)
  })
}
