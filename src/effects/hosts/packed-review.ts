import { Refusal } from '../../domain/rules/refusal.ts'
import { indexDiff } from '../../domain/words/unified-diff.ts'
import type { Review, ReviewFile } from '../../contracts/review.ts'
import type { Sights } from '../world.ts'

// A review on its way between hosts: an index of a diff is made anew from its text.

interface PackedFile extends Omit<ReviewFile, 'diff'> {
  readonly diff: string | null
}

export interface PackedReview extends Omit<Review, 'files'> {
  readonly files: readonly PackedFile[]
}

export const packReview = (review: Review): PackedReview => ({
  ...review,
  files: review.files.map((file) => ({ ...file, diff: file.diff?.text ?? null })),
})

export const unpackReview = (review: PackedReview): Review => ({
  ...review,
  files: review.files.map((file) => ({ ...file, diff: file.diff === null ? null : indexDiff(file.diff) })),
})

/** The diff of a file that was too large for the review. The file is found by its path, which opens nothing by itself. */
export const presentFile = async (
  sights: Sights,
  { worktree, to, path }: { readonly worktree: string; readonly to: string; readonly path: string },
): Promise<string> => {
  const review = await sights.presentWorktree(worktree)
  const file = review.files.find((one) => one.path === path)
  if (review.to !== to || file === undefined)
    throw new Refusal('invalid_state', `${worktree} has changed since its diff was read. Try again.`)
  return (await sights.readReviewFile(review, file)).text
}
