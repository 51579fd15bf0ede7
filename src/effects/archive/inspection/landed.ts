import { askGit, git } from '../../git/git.ts'
import { commitOf, committer, contains } from '../../git/commits.ts'
import { withoutPrograms } from '../../git/drivers.ts'

/** Says whether a branch already contains the work of a commit, under whatever commits. */
export interface Landed {
  /**
   * merged: its commits are in the branch; contained: merging it would change nothing; squashed: one commit holds the
   * same change; picked: every commit has a counterpart; null: not all of it.
   */
  readonly how: 'merged' | 'contained' | 'squashed' | 'picked' | null
  /** The number of its own commits without merges, and how many of them the branch has with the same change. */
  readonly commits: number
  readonly picked: number
}

/**
 * Compares by content: by the patch ids of each commit and of all commits together, and by the tree that a merge would
 * give.
 */
export const landedIn = async (root: string, commit: string, target: string): Promise<Landed> => {
  const onto = await commitOf(root, target)
  if (onto === undefined) return { how: null, commits: 0, picked: 0 }
  if (await contains(root, onto, commit)) return { how: 'merged', commits: 0, picked: 0 }
  const picks = await cherry(root, onto, commit)
  const counts = { commits: picks.length, picked: picks.filter((sign) => sign === '-').length }
  const base = (await askGit(root, ['merge-base', '--end-of-options', onto, commit], { answers: [1] })).stdout.trim()
  if (base === '') return { how: null, ...counts }
  if (counts.commits > 0 && counts.picked === counts.commits) return { how: 'picked', ...counts }
  if (await changesNothing(root, onto, commit)) return { how: 'contained', ...counts }
  const asOne = await git(root, ['commit-tree', '-p', base, `${commit}^{tree}`], {
    input: 'All of it as one\n',
    environment: await committer(root),
  })
  return { how: (await cherry(root, onto, asOne.trim())).every((sign) => sign === '-') ? 'squashed' : null, ...counts }
}

/** One sign per commit that only `commit` has: `-` if the other side has the same change. */
const cherry = async (root: string, onto: string, commit: string): Promise<readonly string[]> =>
  (await git(root, ['cherry', onto, commit], { timeout: 600_000 }))
    .split('\n')
    .filter(Boolean)
    .map((line) => line[0]!)

const changesNothing = async (root: string, onto: string, commit: string): Promise<boolean> => {
  const environment = await withoutPrograms(root)
  const { exitCode, stdout } = await askGit(
    root,
    ['merge-tree', '--write-tree', '--no-messages', '--end-of-options', onto, commit],
    { answers: [1], environment },
  )
  return exitCode === 0 && stdout.trim() === (await git(root, ['rev-parse', `${onto}^{tree}`])).trim()
}
