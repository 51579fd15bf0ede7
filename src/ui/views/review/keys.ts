import { kindOf } from '../../../domain/words/unified-diff.ts'
import type { Controller } from '../../core/controller.ts'
import { ask } from '../../actions/answers.ts'
import { sheetHeight } from '../../panes/movement.ts'
import { open } from '../../core/overlays.ts'
import { worktreeOf } from '../../core/selection.ts'
import { type ConsoleState, changingView } from '../../core/state.ts'
import { fileArrived, outputArrived } from './reducers.ts'
import { quoteOf } from './file/file-lines.ts'
import { goToPlace } from './movement.ts'
import { changesQuestion, commentForm, type Remarked } from './comments.ts'
import { diffOf } from './state.ts'
import { type ApprovalOverlay, approvalIn, commentsOf, reviewDocument, reviewOf } from './window.ts'
import { commonText } from '../../../text/common.ts'
import { commentText, outputText, reviewRefusals } from '../../../text/integration.ts'

// Key handlers of a review, and the reasons why they are unavailable.

const { diffIsBeingRead: NOT_READ, noLine: NO_LINE } = reviewRefusals

export const whyNotFold = (state: ConsoleState): string | undefined =>
  reviewIn(state) ? (fileUnder(state) === undefined ? NO_LINE : undefined) : NOT_READ

/** Folds or opens the selected file; from the list of files it moves to the file. A large file is read now. */
export const fold = (controller: Controller): void => {
  const state = controller.state()
  const overlay = approvalIn(state.view.overlay)!
  const number = fileUnder(state)!
  const title = { file: number, line: -1, piece: 1 }
  if (overlay.at.file === -1) return controller.change((now) => goToPlace(now, overlay, title, sheetHeight(now)))
  const loaded = reviewIn(state)!
  const file = loaded.review.files[number]!
  if (diffOf(loaded, file) === undefined) return readLarge(controller, overlay, number)
  const folded = overlay.folded.includes(file.path)
    ? overlay.folded.filter((path) => path !== file.path)
    : [...overlay.folded, file.path]
  controller.change((now) => goToPlace(now, { ...overlay, folded }, title, sheetHeight(now)))
}

const readLarge = (controller: Controller, overlay: ApprovalOverlay, number: number): void => {
  const { review } = reviewOf(controller.state(), overlay.worktree)!
  const file = review.files[number]!
  controller.change(fileArrived(review, file.path, null))
  controller.connection.outside.readReviewFile(review, file).then(
    (index) => controller.change(fileArrived(review, file.path, index)),
    (error: unknown) => {
      controller.change(fileArrived(review, file.path, undefined))
      controller.tell(error instanceof Error ? error.message : String(error), 'refused')
    },
  )
}

export const whyNotComment = (state: ConsoleState): string | undefined => {
  if (!reviewIn(state)) return NOT_READ
  return (approvalIn(state.view.overlay)?.at.file ?? -1) >= 0 ? undefined : NO_LINE
}

export const comment = (controller: Controller): void => {
  const state = controller.state()
  const overlay = approvalIn(state.view.overlay)!
  controller.change(open({ kind: 'form', form: commentForm(overlay.worktree, remarkedIn(state, overlay)) }))
}

/** The selected line, or the file whose name is selected. */
const remarkedIn = (state: ConsoleState, { worktree, at }: ApprovalOverlay): Remarked => {
  const loaded = reviewOf(state, worktree)!
  const file = loaded.review.files[at.file]!
  const index = diffOf(loaded, file)
  const whole = { path: file.path, at: -1, line: null, side: 'new', quote: [], to: loaded.review.to } as const
  if (!index || at.line < 0 || at.line >= index.count) return whole
  return {
    ...whole,
    at: at.line,
    line: index.numbers[at.line]!,
    side: kindOf(index, at.line) === 'removed' ? 'old' : 'new',
    quote: quoteOf(index, at.line),
  }
}

export const whyNotUncomment = (state: ConsoleState): string | undefined =>
  commentUnder(state) === undefined ? reviewRefusals.noComment : undefined

export const uncomment = (controller: Controller): void => {
  const { worktree } = approvalIn(controller.state().view.overlay)!
  const id = commentUnder(controller.state())!
  controller.change((state) => ({
    ...state,
    comments: { ...state.comments, [worktree]: commentsOf(state, worktree).filter((one) => one.id !== id) },
  }))
  controller.tell(commentText.withdrawn)
}

export const whyNotSend = (state: ConsoleState): string | undefined => {
  const overlay = approvalIn(state.view.overlay)
  const worktree = overlay && worktreeOf(state, overlay.worktree)
  if (!worktree) return commonText.worktreeGone
  const status = worktree.integration?.status
  if (status === 'approved' || status === 'moving' || status === 'integrated')
    return reviewRefusals.tooLate(worktree.name)
  return commentsOf(state, worktree.name).length === 0 ? reviewRefusals.nothingToSend : undefined
}

/** Asks once, then submits all comments as one task. */
export const send = (controller: Controller): void => {
  const { worktree } = approvalIn(controller.state().view.overlay)!
  ask(controller, (state) => changesQuestion(state, worktree, commentsOf(state, worktree)))
}

export const whyNotOutput = (state: ConsoleState): string | undefined => {
  const overlay = approvalIn(state.view.overlay)
  const verification = overlay && worktreeOf(state, overlay.worktree)?.integration?.verification
  return verification ? undefined : outputText.nothing
}

/** Opens the complete output of the verification. */
export const openOutput = (controller: Controller): void => {
  const { worktree } = approvalIn(controller.state().view.overlay)!
  controller.change((state) => open({ kind: 'verification', worktree, top: 0 })({ ...state, output: null }))
  controller.connection.outside.readVerification(worktree).then(
    ({ text, size }) => controller.change(outputArrived(worktree, text, size)),
    (error: unknown) => controller.tell(error instanceof Error ? error.message : String(error), 'refused'),
  )
}

export const openSearch = (controller: Controller): void =>
  controller.change(changingView((view) => ({ overlay: { kind: 'search', text: '', behind: view.overlay } })))

const reviewIn = (state: ConsoleState) => {
  const overlay = approvalIn(state.view.overlay)
  return overlay ? reviewOf(state, overlay.worktree) : null
}

/** The file of the cursor, or the one to which the line leads. */
const fileUnder = (state: ConsoleState): number | undefined => {
  const overlay = approvalIn(state.view.overlay)
  if (!overlay) return undefined
  return overlay.at.file >= 0 ? overlay.at.file : reviewDocument(state, overlay)?.head[overlay.at.line]?.file
}

const commentUnder = (state: ConsoleState): number | undefined => {
  const overlay = approvalIn(state.view.overlay)
  if (!overlay) return undefined
  return (
    overlay.at.comment ??
    (overlay.at.file === -1 ? reviewDocument(state, overlay)?.head[overlay.at.line]?.comment : undefined)
  )
}
