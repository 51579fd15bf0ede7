import { Refusal } from '../../domain/rules/refusal.ts'
import { refusalOfWords } from '../../domain/rules/system-error.ts'
import { askGit, firstLineOf, git } from '../git/git.ts'
import { committer, contains } from '../git/commits.ts'
import { withoutPrograms } from '../git/drivers.ts'

/** The result of merging two commits: a commit, the conflicting paths, or an error. */
export type Merge =
  { readonly mergeOid: string } | { readonly conflicts: readonly string[] } | { readonly problem: string }

/** The merge commit of two commits, or the target itself if it contains the branch. */
export const mergeOf = async (
  root: string,
  { targetOid, branchOid, name, branch }: { targetOid: string; branchOid: string; name: string; branch: string },
): Promise<Merge> => {
  const [contained, quiet, identity] = await Promise.all([
    contains(root, targetOid, branchOid),
    withoutPrograms(root),
    committer(root),
  ])
  if (contained) return { mergeOid: targetOid }
  const merge = () =>
    askGit(
      root,
      ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', '--end-of-options', targetOid, branchOid],
      { answers: [1, 128], environment: quiet },
    )
  const first = await merge()
  // Git may report a temporary error of the system as a corrupt object, so only a second failure is reported.
  const { exitCode, stdout, stderr } = first.exitCode === 128 && !isUnrelated(first.stderr) ? await merge() : first
  if (exitCode === 128 && isUnrelated(stderr))
    return { problem: `${branch} and its target have no commit in common, so they cannot be merged.` }
  // A full disk does not mean that the branches cannot be merged: the request stays and is retried.
  const failed = exitCode === 128 ? refusalOfWords(stderr, `git merge-tree of ${branch}`) : undefined
  if (failed) throw failed
  const damaged =
    exitCode === 128
      ? /loose object ([0-9a-f]{40,64}) .*is corrupt|unable to read (?:\w+ )?\(?([0-9a-f]{40,64})/.exec(stderr)
      : null
  const named = damaged?.[1] ?? damaged?.[2]
  if (named !== undefined && (await canRead(root, named)))
    throw new Refusal(
      'disk_failed',
      `git could not read object ${named.slice(0, 8)} while it merged ${branch}, but can read it now. Check the disk (dmesg), then try again.`,
    )
  if (exitCode === 128)
    return {
      problem: `git cannot merge ${branch}: ${firstLineOf(stderr)}.`,
    }
  const [tree = '', ...conflicts] = stdout.split('\0').filter(Boolean)
  if (exitCode === 1) return { conflicts: [...new Set(conflicts)] }
  const message = `Integrate worktree ${name} (${branch})\n`
  return {
    mergeOid: (
      await git(root, ['commit-tree', tree, '-p', targetOid, '-p', branchOid], {
        input: message,
        environment: identity,
      })
    ).trim(),
  }
}

/** True if git can read the whole object; a "corrupt object" error was then a temporary error of the system. */
const canRead = async (root: string, oid: string): Promise<boolean> =>
  (await askGit(root, ['cat-file', '-p', oid], { answers: [1, 128] })).exitCode === 0

const isUnrelated = (said: string): boolean => said.includes('unrelated histories')
