import { kindOf } from '../../domain/unified-diff.ts'
import type { Desk } from '../desk.ts'
import { commentForm } from '../forms.ts'
import { linesOf } from '../intents.ts'
import { sheetHeight } from '../movement.ts'
import { open } from '../overlays.ts'
import { worktreeOf } from '../selection.ts'
import { type ConsoleState, looking } from '../state.ts'
import { fileArrived, outputArrived } from './arrivals.ts'
import { quoteOf } from './file-lines.ts'
import { goToPlace } from './movement.ts'
import type { Remarked } from './comments.ts'
import { diffOf } from './state.ts'
import { type ApprovalOverlay, approvalIn, commentsOf, reviewDocument, reviewOf } from './window.ts'
import { commonText } from '../../text/common.ts'
import { commentText, outputText, reviewRefusals } from '../../text/review.ts'

// What the letters do in a review, and why not.

const { diffIsBeingRead: NOT_READ, noLine: NO_LINE } = reviewRefusals

export const whyNotFold = (state: ConsoleState): string | undefined => (reviewIn(state) ? (fileUnder(state) === undefined ? NO_LINE : undefined) : NOT_READ)

/** Folds the file under the cursor or opens it again; from the list of files it goes to that file. A large file is read now. */
export const fold = (desk: Desk): void => {
  const state = desk.state()
  const overlay = approvalIn(state.view.overlay)!
  const number = fileUnder(state)!
  const title = { file: number, line: -1, piece: 1 }
  if (overlay.at.file === -1) return desk.change((now) => goToPlace(now, overlay, title, sheetHeight(now)))
  const loaded = reviewIn(state)!
  const file = loaded.review.files[number]!
  if (diffOf(loaded, file) === undefined) return readLarge(desk, overlay, number)
  const folded = overlay.folded.includes(file.path) ? overlay.folded.filter((path) => path !== file.path) : [...overlay.folded, file.path]
  desk.change((now) => goToPlace(now, { ...overlay, folded }, title, sheetHeight(now)))
}

const readLarge = (desk: Desk, overlay: ApprovalOverlay, number: number): void => {
  const { review } = reviewOf(desk.state(), overlay.worktree)!
  const file = review.files[number]!
  desk.change(fileArrived(review, file.path, null))
  desk.connection.outside.readReviewFile(review, file).then(
    (index) => desk.change(fileArrived(review, file.path, index)),
    (error: unknown) => {
      desk.change(fileArrived(review, file.path, undefined))
      desk.tell(error instanceof Error ? error.message : String(error), 'refused')
    },
  )
}

export const whyNotComment = (state: ConsoleState): string | undefined => {
  if (!reviewIn(state)) return NOT_READ
  return (approvalIn(state.view.overlay)?.at.file ?? -1) >= 0 ? undefined : NO_LINE
}

export const comment = (desk: Desk): void => {
  const state = desk.state()
  const overlay = approvalIn(state.view.overlay)!
  desk.change(open({ kind: 'form', form: commentForm(overlay.worktree, remarkedIn(state, overlay)) }))
}

/** The line under the cursor, or the file of which it is the name. */
const remarkedIn = (state: ConsoleState, { worktree, at }: ApprovalOverlay): Remarked => {
  const loaded = reviewOf(state, worktree)!
  const file = loaded.review.files[at.file]!
  const index = diffOf(loaded, file)
  const whole = { path: file.path, at: -1, line: null, side: 'new', quote: [], to: loaded.review.to } as const
  if (!index || at.line < 0 || at.line >= index.count) return whole
  return { ...whole, at: at.line, line: index.numbers[at.line]!, side: kindOf(index, at.line) === 'removed' ? 'old' : 'new', quote: quoteOf(index, at.line) }
}

export const whyNotUncomment = (state: ConsoleState): string | undefined => (commentUnder(state) === undefined ? reviewRefusals.noComment : undefined)

export const uncomment = (desk: Desk): void => {
  const { worktree } = approvalIn(desk.state().view.overlay)!
  const id = commentUnder(desk.state())!
  desk.change((state) => ({ ...state, comments: { ...state.comments, [worktree]: commentsOf(state, worktree).filter((one) => one.id !== id) } }))
  desk.tell(commentText.takenBack)
}

export const whyNotSend = (state: ConsoleState): string | undefined => {
  const overlay = approvalIn(state.view.overlay)
  const worktree = overlay && worktreeOf(state, overlay.worktree)
  if (!worktree) return commonText.worktreeGone
  const status = worktree.integration?.status
  if (status === 'approved' || status === 'moving' || status === 'integrated') return reviewRefusals.tooLate(worktree.name)
  return commentsOf(state, worktree.name).length === 0 ? reviewRefusals.nothingToSend : undefined
}

/** Asks once, then sends all comments back as one task. */
export const send = (desk: Desk): void => {
  const state = desk.state()
  const { worktree } = approvalIn(state.view.overlay)!
  const intent = { kind: 'changes', worktree, comments: commentsOf(state, worktree) } as const
  desk.change(open({ kind: 'confirm', intent, lines: linesOf(state, intent) }))
}

export const whyNotOutput = (state: ConsoleState): string | undefined => {
  const overlay = approvalIn(state.view.overlay)
  const verification = overlay && worktreeOf(state, overlay.worktree)?.integration?.verification
  return verification ? undefined : outputText.nothing
}

/** Opens all that the verification printed. */
export const openOutput = (desk: Desk): void => {
  const { worktree } = approvalIn(desk.state().view.overlay)!
  desk.change((state) => open({ kind: 'verification', worktree, top: 0 })({ ...state, output: null }))
  desk.connection.outside.readVerification(worktree).then(
    ({ text, size }) => desk.change(outputArrived(worktree, text, size)),
    (error: unknown) => desk.tell(error instanceof Error ? error.message : String(error), 'refused'),
  )
}

export const openSearch = (desk: Desk): void => desk.change(looking((view) => ({ overlay: { kind: 'search', text: '', behind: view.overlay } })))

const reviewIn = (state: ConsoleState) => {
  const overlay = approvalIn(state.view.overlay)
  return overlay ? reviewOf(state, overlay.worktree) : null
}

/** The file that the cursor is in, or that the line leads to. */
const fileUnder = (state: ConsoleState): number | undefined => {
  const overlay = approvalIn(state.view.overlay)
  if (!overlay) return undefined
  return overlay.at.file >= 0 ? overlay.at.file : reviewDocument(state, overlay)?.head[overlay.at.line]?.file
}

const commentUnder = (state: ConsoleState): number | undefined => {
  const overlay = approvalIn(state.view.overlay)
  if (!overlay) return undefined
  return overlay.at.comment ?? (overlay.at.file === -1 ? reviewDocument(state, overlay)?.head[overlay.at.line]?.comment : undefined)
}
