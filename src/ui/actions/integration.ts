import type { Candidate, IntegrationState } from '../../domain/integration/integration.ts'
import { undoIntegration } from '../../operations/integration/decisions.ts'
import { requestIntegration } from '../../operations/integration/request.ts'
import type { IntegrationView, WorktreeView } from '../../operations/views/worktrees.ts'
import { approvalText, undoText } from '../../text/integration.ts'
import { actionRefusals } from '../../text/panes.ts'
import { integrationWords } from '../../text/states.ts'
import type { Controller, Receipt } from '../core/controller.ts'
import { close, open } from '../core/overlays.ts'
import { selectedWorktree, worktreeAtHand } from '../core/selection.ts'
import { changingView, type ConsoleState, type Transition } from '../core/state.ts'
import { selectWorktree } from '../panes/movement.ts'

// From `i` to a merge in its target.

/** Why there is no diff to read, of the selected worktree or that of the selected task or agent. */
export const whyNotDiff = (state: ConsoleState): string | undefined => {
  const worktree = worktreeAtHand(state)
  if (!worktree) return actionRefusals.noWorktree
  return worktree.status === 'active' ? undefined : actionRefusals.worktreeIsOver(worktree.name, worktree.status)
}

/** Opens the diff of the worktree without a request to merge it. */
export const readDiff = (controller: Controller): void => {
  const { name } = worktreeAtHand(controller.state())!
  controller.change(openApproval(name, true))
}

export const whyNotIntegrate = (state: ConsoleState): string | undefined => {
  const worktree = worktreeAtHand(state)
  if (!worktree) return actionRefusals.noWorktree
  if (worktree.status !== 'active') return actionRefusals.worktreeIsOver(worktree.name, worktree.status)
  return worktree.folder === 'ready' ? undefined : approvalText.worktreeIsBuilt(worktree.name)
}

/** In these states a merge is there or on its way; in the others it is asked for anew. */
const underWay: Record<IntegrationState, boolean> = {
  requested: true,
  verifying: true,
  ready: true,
  approved: true,
  moving: true,
  conflicted: false,
  unverified: false,
  integrated: false,
  rejected: false,
}

export const isUnderWay = (status: IntegrationState): boolean => underWay[status]

/** Before the first file. */
export const START = { file: -1, line: 0, piece: 0 } as const

/** The view in which a worktree is looked at before it lands. */
export const openApproval = (worktree: string, readOnly = false): Transition =>
  open({ kind: 'approval', worktree, at: START, offset: 0, folded: [], sought: '', readOnly })

/** Opens the approval view at once; what is not there yet is asked for and comes in while one looks. */
export const integrate = (controller: Controller): void => {
  const state = controller.state()
  const worktree = worktreeAtHand(state)!
  const { overlay: front } = state.view
  if (front?.kind !== 'approval') controller.change(openApproval(worktree.name))
  else if (front.readOnly) controller.change(changingView(() => ({ overlay: { ...front, readOnly: false } })))
  if (worktree.integration && underWay[worktree.integration.status]) return
  controller.perform(requestIntegration, { worktreeName: worktree.name }, preparedReceipt, () => {
    const { overlay } = controller.state().view
    if (overlay?.kind !== 'approval' || overlay.worktree !== worktree.name) return
    if (front?.kind !== 'approval') return controller.change(close)
    controller.change(changingView(() => ({ overlay: { ...overlay, readOnly: front.readOnly === true } })))
  })
}

/** The commits that an integration would merge; null until they are known. */
export const candidateOf = (integration: IntegrationView | null | undefined): Candidate | null => {
  const { targetOid, branchOid, mergeOid } = integration ?? {}
  return targetOid && branchOid && mergeOid
    ? { targetOid, branchOid, mergeOid, verificationId: integration?.verification?.id ?? null }
    : null
}

/** The receipt of a requested merge, by its state; a merge that cannot be approved is not reported as a success. */
export const preparedReceipt = ({ name, integration }: WorktreeView): Receipt => {
  if (!integration) return { text: approvalText.prepares(name, approvalText.askedFor), tone: 'told' }
  const { status, target, problem } = integration
  if (status === 'ready') return approvalText.isReady(name)
  if (status === 'integrated') return approvalText.isIn(name, target)
  if (problem !== null) return { text: problem, tone: 'refused' }
  if (status === 'unverified') return { text: approvalText.isUnverified(name), tone: 'refused' }
  if (status === 'conflicted') return { text: approvalText.conflicts(name, target), tone: 'refused' }
  return { text: approvalText.prepares(name, integrationWords[status]), tone: 'told' }
}

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
