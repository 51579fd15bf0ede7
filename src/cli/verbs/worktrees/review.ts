import { spelledOut } from '../../../domain/words/safe-text.ts'
import type { Connection } from '../../../operations/door/connection.ts'
import type { Review } from '../../../contracts/review.ts'
import { type Answer, type Call, open } from '../../call/command.ts'
import { observedWorktree } from './observed-worktree.ts'
import { blocks } from '../../print/columns.ts'
import { reviewJson, reviewText } from '../../print/review-text.ts'

/** The changes that integrating a worktree would merge, with all of its lines. */
export const showReview = async (call: Call, name: string): Promise<Answer> => {
  const connection = await open(call)
  const { integration } = await observedWorktree(connection, name)
  const review = await connection.outside.reviewWorktree(name)
  const parts = await diffsOf(connection, review)
  return {
    json: reviewJson(review, integration, parts.join(''), false),
    text: blocks([reviewText(review, integration), spelled(parts.join(''))]),
  }
}

/** The most lines of a diff before a question; the rest can be shown on request. */
const LINES = 5000

/** The review before a question: complete, unless it is very long. */
export const reviewForQuestion = async (
  connection: Connection,
  review: Review,
  integration: Parameters<typeof reviewText>[1],
): Promise<string> => {
  const lines = spelled((await diffsOf(connection, review)).join('')).split('\n')
  const left = lines.length - LINES
  return blocks([
    reviewText(review, integration),
    lines.slice(0, LINES).join('\n'),
    left > 0 ? `… ${left} more lines of the diff; 'aiswarm worktree diff ${review.worktree}' shows all of them.` : '',
  ])
}

/** The diff of every file in the order of the review, including those that are read one at a time. */
const diffsOf = async ({ outside }: Connection, review: Review): Promise<readonly string[]> => {
  const parts: string[] = []
  for (const file of review.files) parts.push((file.diff ?? (await outside.readReviewFile(review, file))).text)
  return parts
}

/** Nothing that is being decided about is omitted, or interpreted by the terminal. */
const spelled = (diff: string): string => spelledOut(diff.replace(/\n$/, '')).join('\n')
