import { claimsOf, type Finding } from '../../domain/task/claim-findings.ts'
import type { Review } from '../../contracts/review.ts'
import type { IntegrationView } from '../views/worktrees.ts'

/** Compares the claims about the work with the known facts. */
export const findingsOf = (
  { tasks, files, uncommitted }: Review,
  integration: IntegrationView | null,
): readonly Finding[] =>
  claimsOf(tasks, {
    verification: integration?.verification ?? null,
    paths: files.flatMap(({ path, from }) => [path, ...(from === null ? [] : [from])]),
    uncommitted,
  })

/** Total lines of all files whose lines are known. */
export const totalsOf = ({
  files,
}: Pick<Review, 'files'>): { readonly files: number; readonly added: number; readonly removed: number } => ({
  files: files.length,
  added: files.reduce((sum, file) => sum + (file.added ?? 0), 0),
  removed: files.reduce((sum, file) => sum + (file.removed ?? 0), 0),
})
