import { spelledOut } from '../domain/safe-text.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import type { Review } from '../operations/kernel/review.ts'
import type { Answer, Call } from './command.ts'
import { open } from './command.ts'
import { observedWorktree } from './observed-worktree.ts'
import { blocks } from './text/columns.ts'
import { reviewJson, reviewText } from './text/review-text.ts'

/** What integrating a worktree would bring, with all of its lines. */
export const showReview = async (call: Call, name: string): Promise<Answer> => {
  const connection = await open(call)
  const { integration } = await observedWorktree(connection, name)
  const review = await connection.outside.reviewWorktree(name)
  const parts = await diffsOf(connection, review)
  return { json: reviewJson(review, integration, parts.join(''), false), text: blocks([reviewText(review, integration), spelled(parts.join(''))]) }
}

/** Lines of a diff that stand before a question; whoever wants more is told how to see it. */
const LINES = 5000

/** What a person reads before they are asked: all of it, where it is no book. */
export const reviewForQuestion = async (connection: Connection, review: Review, integration: Parameters<typeof reviewText>[1]): Promise<string> => {
  const lines = spelled((await diffsOf(connection, review)).join('')).split('\n')
  const left = lines.length - LINES
  return blocks([
    reviewText(review, integration),
    lines.slice(0, LINES).join('\n'),
    left > 0 ? `… ${left} more lines of the diff; 'aiswarm worktree diff ${review.worktree}' shows all of them.` : '',
  ])
}

/** The diff of every file in the order of the review, those included that are read one at a time. */
const diffsOf = async ({ outside }: Connection, review: Review): Promise<readonly string[]> => {
  const parts: string[] = []
  for (const file of review.files) parts.push((file.diff ?? (await outside.readReviewFile(review, file))).text)
  return parts
}

/** Nothing of what is decided about is left out or obeyed by the terminal. */
const spelled = (diff: string): string => spelledOut(diff.replace(/\n$/, '')).join('\n')
