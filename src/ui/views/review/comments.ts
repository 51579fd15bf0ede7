import { kindOf } from '../../../domain/words/unified-diff.ts'
import { requestChanges } from '../../../operations/integration/review.ts'
import { commonText } from '../../../text/common.ts'
import { commentText, reviewRefusals } from '../../../text/integration.ts'
import { ask, type Question } from '../../actions/answers.ts'
import type { Controller } from '../../core/controller.ts'
import { type Form, textField } from '../../core/form.ts'
import { close, open } from '../../core/overlays.ts'
import { worktreeOf } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { keyed } from '../../keys/bindings.ts'
import { sheetHeight } from '../../panes/movement.ts'
import { nameOf, quoteOf } from './document.ts'
import {
  approvalIn,
  type ApprovalOverlay,
  commentsOf,
  go,
  NO_LINE,
  NOT_READ,
  reviewDocument,
  reviewIn,
  reviewOf,
  seeComment,
} from './review.ts'
import { type Comment, diffOf, type Place } from './state.ts'

// Comments on a diff: they are kept until they are submitted together as one task.

export const whyNotComment = (state: ConsoleState): string | undefined => {
  if (!reviewIn(state)) return NOT_READ
  return (approvalIn(state.view.overlay)?.at.file ?? -1) >= 0 ? undefined : NO_LINE
}

export const comment = (controller: Controller): void => {
  const state = controller.state()
  const overlay = approvalIn(state.view.overlay)!
  controller.change(open({ kind: 'form', form: commentForm(overlay.worktree, remarkedIn(state, overlay)) }))
}

/** The commented line, or a whole file. */
type Remarked = Omit<Comment, 'id' | 'text'>

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

const commentForm = (worktree: string, about: Remarked): Form => ({
  kind: 'comment',
  title: commentText.title(placeOf(about)),
  worktree,
  at: 0,
  fields: [textField('comment', commentText.label, commentText.hint)],
  submit: (controller, { comment = '' }) =>
    comment === ''
      ? controller.tell(commentText.needsWords, 'refused')
      : addComment(controller, worktree, about, comment),
})

const addComment = (controller: Controller, worktree: string, about: Remarked, text: string): void => {
  controller.change(close)
  controller.change((state) => {
    const before = state.comments[worktree] ?? []
    const id = Math.max(0, ...before.map((comment) => comment.id)) + 1
    return seeComment(
      { ...state, comments: { ...state.comments, [worktree]: [...before, { ...about, id, text }] } },
      id,
      sheetHeight(state),
    )
  })
  controller.tell(keyed(controller.state(), commentText.noted), 'done')
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

const commentUnder = (state: ConsoleState): number | undefined => {
  const overlay = approvalIn(state.view.overlay)
  if (!overlay) return undefined
  return (
    overlay.at.comment ??
    (overlay.at.file === -1 ? reviewDocument(state, overlay)?.head[overlay.at.line]?.comment : undefined)
  )
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

/** The question before the comments are sent, with the exact effects of sending them. */
const changesQuestion = (state: ConsoleState, worktree: string, comments: readonly Comment[]): Question => ({
  lines: linesOfChanges(state, worktree, comments),
  carryOut: (controller) => sendComments(controller, worktree, comments),
})

const linesOfChanges = (state: ConsoleState, worktree: string, comments: readonly Comment[]): string[] => {
  const integration = worktreeOf(state, worktree)?.integration
  const rejects = integration?.endedAt === null ? integration.target : null
  return [
    commentText.sends(comments.length, worktree, rejects),
    ...comments.slice(0, 6).map((comment) => `${placeOf(comment)}  ${comment.text}`),
    ...(comments.length > 6 ? [commonText.more(comments.length - 6)] : []),
  ]
}

const sendComments = (controller: Controller, worktree: string, comments: readonly Comment[]): void =>
  controller.perform(
    requestChanges,
    {
      worktreeName: worktree,
      comments: comments.map(({ path, line, side, quote, text }) => ({ path, line, side, quote: [...quote], text })),
    },
    ({ task, held }) => {
      const sent = new Set(comments.map(({ id }) => id))
      controller.change((state) => ({
        ...state,
        comments: { ...state.comments, [worktree]: (state.comments[worktree] ?? []).filter(({ id }) => !sent.has(id)) },
      }))
      return commentText.sent(task.id, task.personaId, worktree, held)
    },
  )

export const whyNotJump = (state: ConsoleState): string | undefined => {
  const overlay = approvalIn(state.view.overlay)
  if (!overlay || !reviewOf(state, overlay.worktree)) return reviewRefusals.diffIsBeingRead
  return commentsOf(state, overlay.worktree).length === 0 ? commentText.none : undefined
}

/** From a comment in the list to the line that it is about, from there back; from elsewhere to the next comment. */
export const jump = (controller: Controller): void => {
  const state = controller.state()
  const overlay = approvalIn(state.view.overlay)!
  const place = jumpFrom(state, overlay)
  if (place === undefined) return controller.tell(commentText.onEarlierMerge, 'refused')
  controller.change((now) => go(now, overlay, place))
}

const jumpFrom = (state: ConsoleState, overlay: ApprovalOverlay): Place | undefined => {
  const { review } = reviewOf(state, overlay.worktree)!
  const { head } = reviewDocument(state, overlay)!
  const { at } = overlay
  const placed = commentsOf(state, overlay.worktree).map((comment) => ({
    comment,
    file: comment.to === review.to ? review.files.findIndex(({ path }) => path === comment.path) : -1,
  }))
  const listed = at.file === -1 ? head[at.line]?.comment : undefined
  if (listed !== undefined) {
    const found = placed.find(({ comment }) => comment.id === listed)
    return found && found.file >= 0 ? { file: found.file, line: found.comment.at, piece: 0 } : undefined
  }
  const here = placed.find(
    ({ comment, file }) => file === at.file && (at.comment ?? comment.id) === comment.id && comment.at === at.line,
  )
  if (here) return { file: -1, line: head.findIndex(({ comment }) => comment === here.comment.id), piece: 0 }
  const sorted = placed.filter(({ file }) => file >= 0).sort((a, b) => a.file - b.file || a.comment.at - b.comment.at)
  const next =
    sorted.find(({ file, comment }) => file > at.file || (file === at.file && comment.at > at.line)) ?? sorted[0]
  return next && { file: next.file, line: next.comment.at, piece: 0 }
}

const placeOf = ({ path, line, side }: Remarked): string =>
  `${nameOf(path)}${line === null ? '' : `:${line}${side === 'old' ? ` ${commentText.removed}` : ''}`}`
