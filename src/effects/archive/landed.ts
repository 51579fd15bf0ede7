import { askGit, git } from '../git.ts'
import { committer, commitOf, contains } from '../git-facts.ts'
import { withoutPrograms } from '../git-programs.ts'

/** Whether the work of a commit is in a branch already, under whatever commits. */
export interface Landed {
  /** merged: its commits are there; contained: merging it would change nothing; squashed: there as one commit; picked: each of them is there; null: not all of it. */
  readonly how: 'merged' | 'contained' | 'squashed' | 'picked' | null
  /** Of its own commits (merges left out) so many, and so many of them are there with the same change. */
  readonly commits: number
  readonly picked: number
}

/** Compares by content: patch ids of the commits and of all of them as one, and the tree that a merge would give. */
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
  const asOne = await git(root, ['commit-tree', '-p', base, `${commit}^{tree}`], { input: 'All of it as one\n', environment: await committer(root) })
  return { how: (await cherry(root, onto, asOne.trim())).every((sign) => sign === '-') ? 'squashed' : null, ...counts }
}

/** A sign a commit that only `commit` has: `-` where the other side has the same change. */
const cherry = async (root: string, onto: string, commit: string): Promise<readonly string[]> =>
  (await git(root, ['cherry', onto, commit], { timeout: 600_000 }))
    .split('\n')
    .filter(Boolean)
    .map((line) => line[0]!)

const changesNothing = async (root: string, onto: string, commit: string): Promise<boolean> => {
  const environment = await withoutPrograms(root)
  const { exitCode, stdout } = await askGit(root, ['merge-tree', '--write-tree', '--no-messages', '--end-of-options', onto, commit], { answers: [1], environment })
  return exitCode === 0 && stdout.trim() === (await git(root, ['rev-parse', `${onto}^{tree}`])).trim()
}
