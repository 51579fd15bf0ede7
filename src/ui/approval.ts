import { whyNotApprove, type Candidate, type IntegrationState } from '../domain/integration.ts'
import type { IntegrationView, WorktreeView } from '../operations/kernel/views.ts'
import { approveIntegration } from '../operations/approve-integration.ts'
import { requestIntegration } from '../operations/request-integration.ts'
import type { Desk, Receipt } from './desk.ts'
import { reasonForm } from './forms.ts'
import { itemOf, settle } from './inbox/settle.ts'
import { close, open } from './overlays.ts'
import { NO_WORKTREE } from './presses.ts'
import { START } from './review/state.ts'
import { approvalIn, reviewOf } from './review/window.ts'
import { worktreeAtHand, worktreeOf } from './selection.ts'
import type { ConsoleState, Transition } from './state.ts'
import { same } from './same.ts'
import { actionRefusals } from '../text/actions.ts'
import { commonText } from '../text/common.ts'
import { approvalAnswers, approvalText } from '../text/integration.ts'
import { integrationWords } from '../text/looks.ts'

// From `i` to a merge in its target.

export const whyNotIntegrate = (state: ConsoleState): string | undefined => {
  const worktree = worktreeAtHand(state)
  if (!worktree) return NO_WORKTREE
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

/** The view in which a worktree is looked at before it lands. */
export const openApproval = (worktree: string): Transition => open({ kind: 'approval', worktree, at: START, offset: 0, folded: [], sought: '' })

/** Opens the approval view at once; what is not there yet is asked for and comes in while one looks. */
export const integrate = (desk: Desk): void => {
  const state = desk.state()
  const worktree = worktreeAtHand(state)!
  if (state.view.overlay?.kind !== 'approval') desk.change(openApproval(worktree.name))
  if (worktree.integration && underWay[worktree.integration.status]) return
  desk.perform(requestIntegration, { worktreeName: worktree.name }, preparedReceipt, () => {
    const { overlay } = desk.state().view
    if (overlay?.kind === 'approval' && overlay.worktree === worktree.name) desk.change(close)
  })
}

/** Why `y` would not approve what is shown. */
export const whyNotYes = (state: ConsoleState): string | undefined => {
  const worktree = worktreeShown(state)
  if (!worktree) return commonText.worktreeGone
  // The view asked for the integration when it opened, so one that is not there yet is on its way.
  const why = whyNotApprove(worktree.name, worktree.integration?.status ?? 'requested')
  if (why !== undefined) return why
  return shownCandidate(state) ? undefined : approvalText.diffIsBeingRead(worktree.name)
}

/** Approves exactly the three commits whose diff was shown. */
export const approve = (desk: Desk): void => {
  const state = desk.state()
  const worktree = worktreeShown(state)!
  settle(
    desk,
    itemOf(state, { kind: 'approve', worktree: worktree.name }),
    approvalText.did,
    approveIntegration,
    { worktreeName: worktree.name, ...shownCandidate(state)! },
    approvedReceipt,
  )
}

export const whyNotReject = (state: ConsoleState): string | undefined => {
  const worktree = worktreeShown(state)
  const integration = worktree?.integration
  return integration && integration.endedAt === null && integration.status !== 'approved' && integration.status !== 'moving'
    ? undefined
    : approvalText.nothingToReject(worktree?.name ?? null)
}

export const reject = (desk: Desk): void => desk.change(open({ kind: 'form', form: reasonForm('reject', worktreeShown(desk.state())!.name) }))

/** The commits that an integration would let in, once they are known. */
export const candidateOf = (integration: IntegrationView | null | undefined): Candidate | null => {
  const { targetOid, branchOid, mergeOid } = integration ?? {}
  return targetOid && branchOid && mergeOid ? { targetOid, branchOid, mergeOid, verificationId: integration?.verification?.id ?? null } : null
}

/** What the keys do now, in words; they are named by their rows. */
export const answers: Record<IntegrationState | 'none', string> = approvalAnswers

const worktreeShown = (state: ConsoleState): WorktreeView | undefined => worktreeOf(state, approvalIn(state.view.overlay)?.worktree ?? null)

/** The candidate, if it is the one whose diff is on the screen. */
const shownCandidate = (state: ConsoleState): Candidate | null => {
  const worktree = worktreeShown(state)
  const candidate = candidateOf(worktree?.integration)
  if (!candidate) return null
  const { verificationId: _, ...commits } = candidate
  return same(reviewOf(state, worktree!.name)?.review.candidate, commits) ? candidate : null
}

/** What became of a merge that was asked for; one that cannot be approved is no success. */
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

const approvedReceipt = ({ name, integration }: WorktreeView): Receipt => {
  if (integration?.status === 'integrated') return approvalText.isIn(name, integration.target)
  if (integration?.problem) return { text: integration.problem, tone: 'refused' }
  return approvalText.isApproved(name, integration?.target ?? null)
}
