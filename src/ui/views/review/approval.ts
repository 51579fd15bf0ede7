import { type Candidate, type IntegrationState, whyNotApprove } from '../../../domain/integration/integration.ts'
import { ours, type SafeText } from '../../../domain/words/safe-text.ts'
import { approveIntegration, rejectIntegration } from '../../../operations/integration/decisions.ts'
import type { WorktreeView } from '../../../operations/views/worktrees.ts'
import { commonText } from '../../../text/common.ts'
import { reasonForms } from '../../../text/forms.ts'
import { approvalAnswers, approvalText, reviewText } from '../../../text/integration.ts'
import { itemOf, settle } from '../../actions/answers.ts'
import { candidateOf } from '../../actions/integration.ts'
import type { Controller, Receipt } from '../../core/controller.ts'
import { type Form, textField } from '../../core/form.ts'
import { open } from '../../core/overlays.ts'
import { worktreeOf } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { same } from '../../core/structural-sharing.ts'
import { keyed } from '../../keys/bindings.ts'
import { approvalIn, isOnlyRead, reviewOf } from './review.ts'
import type { ApprovalOverlay } from './state.ts'

// A merge is approved or rejected.

/** True for a diff that is only read: nothing of it is approved or rejected before its merge is requested. */
export const isDiffOnly = (state: ConsoleState): boolean => {
  const worktree = worktreeShown(state)
  return worktree !== undefined && isOnlyRead(worktree, approvalIn(state.view.overlay)!)
}

/** Why `y` would not approve what is shown. */
export const whyNotYes = (state: ConsoleState): string | undefined => {
  const worktree = worktreeShown(state)
  if (!worktree) return commonText.worktreeGone
  // The view asked for the integration when it opened, unless the diff is only read.
  const status = isOnlyRead(worktree, approvalIn(state.view.overlay)!)
    ? undefined
    : (worktree.integration?.status ?? 'requested')
  if (status === undefined) return keyed(state, approvalText.isOnlyRead)
  const why = whyNotApprove(worktree.name, status)
  if (why !== undefined) return why
  return shownCandidate(state) ? undefined : approvalText.diffIsBeingRead(worktree.name)
}

/** Approves exactly the three commits whose diff was shown. */
export const approve = (controller: Controller): void => {
  const state = controller.state()
  const worktree = worktreeShown(state)!
  settle(
    controller,
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
  return integration &&
    integration.endedAt === null &&
    integration.status !== 'approved' &&
    integration.status !== 'moving'
    ? undefined
    : approvalText.nothingToReject(worktree?.name ?? null)
}

export const reject = (controller: Controller): void => {
  const { name } = worktreeShown(controller.state())!
  controller.change(open({ kind: 'form', form: rejectForm(name) }))
}

const rejectForm = (worktree: string): Form => ({
  kind: 'reject',
  title: reasonForms.reject.title(worktree),
  worktree,
  at: 0,
  fields: [textField('reason', reasonForms.label, reasonForms.reject.hint)],
  submit: (controller, { reason = '' }) => {
    if (reason === '') return controller.tell(reasonForms.reject.needsReason, 'refused')
    settle(
      controller,
      itemOf(controller.state(), { worktree }),
      reasonForms.reject.did,
      rejectIntegration,
      { worktreeName: worktree, reason },
      () => reasonForms.reject.isDone(worktree),
    )
  },
})

const worktreeShown = (state: ConsoleState): WorktreeView | undefined =>
  worktreeOf(state, approvalIn(state.view.overlay)?.worktree ?? null)

/** The candidate, if it is the one whose diff is on the screen. */
const shownCandidate = (state: ConsoleState): Candidate | null => {
  const worktree = worktreeShown(state)
  const candidate = candidateOf(worktree?.integration)
  if (!candidate) return null
  const { verificationId: _, ...commits } = candidate
  return same(reviewOf(state, worktree!.name)?.review.candidate, commits) ? candidate : null
}

const approvedReceipt = ({ name, integration }: WorktreeView): Receipt => {
  if (integration?.status === 'integrated') return approvalText.isIn(name, integration.target)
  if (integration?.problem) return { text: integration.problem, tone: 'refused' }
  return approvalText.isApproved(name, integration?.target ?? null)
}

/** The present effects of the keys on the merge. */
export const answerToReview = (state: ConsoleState, overlay: ApprovalOverlay): SafeText => {
  const worktree = worktreeOf(state, overlay.worktree)
  const status = worktree && isOnlyRead(worktree, overlay) ? 'read' : (worktree?.integration?.status ?? 'none')
  return ours(
    status === 'ready' && whyNotYes(state) !== undefined ? reviewText.diffIsBeingRead : keyed(state, answers[status]),
  )
}

/** The present actions of the keys, as text, by the state of the integration; placeholders name the rows of the keys. */
const answers: Record<IntegrationState | 'none' | 'read', string> = approvalAnswers
