import { ours, type SafeText } from '../../../domain/words/safe-text.ts'
import { reviewText } from '../../../text/integration.ts'
import { answers, whyNotYes } from './approve.ts'
import { isOnlyRead } from './window.ts'
import { keyed } from '../../keys/bindings.ts'
import { worktreeOf } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import type { ApprovalOverlay } from './state.ts'

/** The present effects of the keys on the merge. */
export const answerToReview = (state: ConsoleState, overlay: ApprovalOverlay): SafeText => {
  const worktree = worktreeOf(state, overlay.worktree)
  const status = worktree && isOnlyRead(worktree, overlay) ? 'read' : (worktree?.integration?.status ?? 'none')
  return ours(
    status === 'ready' && whyNotYes(state) !== undefined ? reviewText.diffIsBeingRead : keyed(state, answers[status]),
  )
}
