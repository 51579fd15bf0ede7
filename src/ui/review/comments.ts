import { requestChanges } from '../../operations/request-changes.ts'
import type { Desk } from '../desk.ts'
import { keyed } from '../key-names.ts'
import { sheetHeight } from '../movement.ts'
import { close } from '../overlays.ts'
import { worktreeOf } from '../selection.ts'
import type { ConsoleState } from '../state.ts'
import { nameOf } from './file-lines.ts'
import { seeComment } from './movement.ts'
import type { Comment } from './state.ts'
import { commonText } from '../../text/common.ts'
import { commentText } from '../../text/review.ts'

// Remarks on a diff: they are kept until they are sent, all of them as one task.

/** What is remarked on: a line, or a whole file. */
export type Remarked = Omit<Comment, 'id' | 'text'>

export const commentFields = (about: Remarked) => ({
  title: commentText.title(placeOf(about)),
  fields: [{ key: 'comment', label: commentText.label, value: '', hint: commentText.hint }],
})

export const addComment = (desk: Desk, worktree: string, about: Remarked, text: string): void => {
  desk.change(close)
  desk.change((state) => {
    const before = state.comments[worktree] ?? []
    const id = Math.max(0, ...before.map((comment) => comment.id)) + 1
    return seeComment({ ...state, comments: { ...state.comments, [worktree]: [...before, { ...about, id, text }] } }, id, sheetHeight(state))
  })
  desk.tell(keyed(desk.state(), commentText.noted), 'done')
}

/** What exactly sending them does. */
export const linesOfChanges = (state: ConsoleState, worktree: string, comments: readonly Comment[]): string[] => {
  const integration = worktreeOf(state, worktree)?.integration
  const rejects = integration?.endedAt === null ? integration.target : null
  return [
    commentText.sends(comments.length, worktree, rejects),
    ...comments.slice(0, 6).map((comment) => `${placeOf(comment)}  ${comment.text}`),
    ...(comments.length > 6 ? [commonText.more(comments.length - 6)] : []),
  ]
}

export const sendComments = (desk: Desk, worktree: string, comments: readonly Comment[]): void =>
  desk.perform(
    requestChanges,
    { worktreeName: worktree, comments: comments.map(({ path, line, side, quote, text }) => ({ path, line, side, quote: [...quote], text })) },
    ({ task, held }) => {
      const sent = new Set(comments.map(({ id }) => id))
      desk.change((state) => ({ ...state, comments: { ...state.comments, [worktree]: (state.comments[worktree] ?? []).filter(({ id }) => !sent.has(id)) } }))
      return commentText.sent(task.id, task.personaId, worktree, held)
    },
  )

const placeOf = ({ path, line, side }: Remarked): string => `${nameOf(path)}${line === null ? '' : `:${line}${side === 'old' ? ` ${commentText.removed}` : ''}`}`
