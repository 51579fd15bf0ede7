import { byRisk, type Risk } from '../../src/domain/integration/risk.ts'
import { risksOf } from '../../src/domain/integration/file-risks.ts'
import { indexDiff, sectionsOf } from '../../src/domain/words/unified-diff.ts'
import type { Review, ReviewFile } from '../../src/contracts/review.ts'

/** The commits that tests approve. */
export const commits = { targetOid: 'a'.repeat(40), branchOid: 'b'.repeat(40), mergeOid: 'c'.repeat(40) }

/** A changed file with the hunks of its diff. */
export const fileOf = (
  path: string,
  hunks: string,
  more: Partial<ReviewFile> & { readonly elsewhere?: readonly string[] } = {},
): ReviewFile => {
  const diff = indexDiff(hunks)
  const { elsewhere = [], ...rest } = more
  const file = { path, from: null, oldMode: '100644', newMode: '100644', content: 'text', ...rest } as const
  const risks: readonly Risk[] = risksOf({
    ...file,
    forced: false,
    secrets: [],
    hidden: 0,
    pointer: false,
    scripts: [],
    mixed: [],
    link: undefined,
    isBare: false,
    elsewhere,
  })
  return {
    change: 'modified',
    oldOid: 'd'.repeat(40),
    newOid: 'e'.repeat(40),
    added: diff.added,
    removed: diff.removed,
    size: hunks.length,
    diff,
    risks,
    isUncommitted: false,
    ...file,
  }
}

/** A review of the merge of `user-auth` that changes these files. */
export const reviewOfFiles = (files: readonly ReviewFile[], more: Partial<Review> = {}): Review => ({
  worktree: 'user-auth',
  target: 'main',
  candidate: commits,
  from: commits.targetOid,
  to: commits.mergeOid,
  commits: [{ oid: commits.branchOid, author: 'Ada', at: '2026-01-30T14:00:00.000Z', subject: 'Add the login form' }],
  files: [...files].sort(byRisk),
  history: { files: [], unread: [] },
  uncommitted: ['notes.txt'],
  tasks: [],
  unconfined: [],
  isPresent: false,
  remark: null,
  ...more,
})

/** The same from a whole diff with simple paths. */
export const reviewOfDiff = (diff: string, more: Partial<Review> = {}): Review =>
  reviewOfFiles(
    sectionsOf(diff).map((section) => fileOf(/^diff --git a\/.* b\/(.*)$/m.exec(section)![1]!, section)),
    more,
  )
