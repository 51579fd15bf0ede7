import { perform } from '../../operations/perform/perform.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'
import type { EndedAttempt } from '../../operations/supervision/wishes.ts'
import { recordCommits } from '../../operations/runs/ends.ts'
import { branchRef, commitOf } from '../git/commits.ts'
import { git } from '../git/git.ts'
import type { World } from '../world.ts'

/** More commits of one attempt are not listed individually. */
const AT_MOST = 1000

/** Records the commits made on a worktree's branch during an attempt, because its result refers to them. */
export const recordCommitsOf = async (
  { core, actor }: World,
  { taskId, attempt, claimedAt, endedAt, worktree }: EndedAttempt,
): Promise<void> => {
  const { branchName, sourceBranch } = (await perform(core, getWorktreeStatus, { worktreeName: worktree! }, actor))[0]!
  const branch = branchRef(branchName)
  const source = branchRef(sourceBranch)
  const commits =
    (await commitOf(core.root, branch)) === undefined
      ? []
      : await commitsWithin(
          core.root,
          branch,
          (await commitOf(core.root, source)) === undefined ? null : source,
          claimedAt,
          endedAt,
        )
  await perform(core, recordCommits, { taskId, attempt, branch: branchName, commits }, actor)
}

interface Commit {
  readonly oid: string
  readonly author: string
  readonly at: string
  readonly subject: string
}

/**
 * Oldest first. Git's dates have a resolution of seconds, so a commit belongs to the attempt in whose seconds it was
 * made.
 */
const commitsWithin = async (
  root: string,
  branch: string,
  without: string | null,
  from: string,
  until: string,
): Promise<Commit[]> => {
  const args = [
    'log',
    '-z',
    '--reverse',
    `--max-count=${AT_MOST}`,
    '--format=%H%n%<(300,trunc)%an%n%cI%n%<(2000,trunc)%s',
    '--end-of-options',
    branch,
    ...(without === null || without === branch ? [] : [`^${without}`]),
  ]
  const second = (at: string): number => Math.floor(Date.parse(at) / 1000)
  return (await git(root, args))
    .split('\0')
    .filter(Boolean)
    .map((entry) => {
      const [oid = '', author = '', at = '', ...subject] = entry.split('\n')
      return {
        oid: oid.trim(),
        author: author.slice(0, 1000).trim(),
        at: new Date(at).toISOString(),
        subject: subject.join(' ').slice(0, 2000).trim(),
      }
    })
    .filter(({ at }) => second(at) >= second(from) && second(at) <= second(until))
}
