import { requestChanges } from '../../../operations/integration/review.ts'
import type { Question } from '../../actions/answers.ts'
import type { Controller } from '../../core/controller.ts'
import { type Form, textField } from '../../core/form.ts'
import { keyed } from '../../keys/bindings.ts'
import { sheetHeight } from '../../panes/movement.ts'
import { close } from '../../core/overlays.ts'
import { worktreeOf } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { nameOf } from './file/file-lines.ts'
import { seeComment } from './movement.ts'
import type { Comment } from './state.ts'
import { commonText } from '../../../text/common.ts'
import { commentText } from '../../../text/integration.ts'

// Comments on a diff: they are kept until they are submitted together as one task.

/** The commented line, or a whole file. */
export type Remarked = Omit<Comment, 'id' | 'text'>

export const commentForm = (worktree: string, about: Remarked): Form => ({
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

/** The question before the comments are sent, with the exact effects of sending them. */
export const changesQuestion = (state: ConsoleState, worktree: string, comments: readonly Comment[]): Question => ({
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

const placeOf = ({ path, line, side }: Remarked): string =>
  `${nameOf(path)}${line === null ? '' : `:${line}${side === 'old' ? ` ${commentText.removed}` : ''}`}`
