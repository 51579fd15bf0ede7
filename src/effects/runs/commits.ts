import { readFileSync } from 'node:fs'
import { Refusal } from '../../domain/rules/refusal.ts'
import { someOf } from '../../domain/words/counts.ts'
import { getAgent } from '../../operations/agents/list.ts'
import { perform } from '../../operations/perform/perform.ts'
import { recordCommits } from '../../operations/runs/ends.ts'
import type { AgentRun, EndedAttempt } from '../../operations/supervision/wishes.ts'
import { getTask } from '../../operations/tasks/detail.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'
import { runPath } from '../files/paths.ts'
import { branchRef, commitOf, commitsBetween } from '../git/commits.ts'
import { askGit, git, type GitOptions } from '../git/git.ts'
import { changedPaths, commitAll } from '../git/working-tree.ts'
import { importOwnGit } from '../sandbox/confinement.ts'
import { gitOfRun, importRest } from '../sandbox/run.ts'
import { provenFolder } from '../worktrees/folder.ts'
import type { World } from '../world.ts'

/**
 * Commits the changes that a run's command left in its worktree, and returns all commits since the task began. In the
 * main checkout it commits nothing. Refuses states that a commit would spoil: conflicts, another branch, a nested
 * repository.
 */
export const commitWork = async (world: World, run: AgentRun): Promise<string[]> => {
  const { core, actor } = world
  if (run.worktree === null || run.taskId === null) return []
  const agent = await perform(core, getAgent, { agentId: run.agentId }, actor)
  const task = await perform(core, getTask, { taskId: run.taskId }, actor)
  // The task was cancelled or lost meanwhile: its changes stay in the worktree and are shown there.
  if (task.assignedAgentId !== run.agentId || agent.stopRequestedAt !== null) return []
  const { branchName } = (await perform(core, getWorktreeStatus, { worktreeName: run.worktree }, actor))[0]!
  const path = await provenFolder(world, run.worktree)
  const inside = gitOfRun(world, run)?.inside
  const where = inside === undefined ? {} : { inside }
  await refuseSpoilt(path, branchName, where)
  await commitAll(
    path,
    `${task.title}\n\nTask ${task.id}, attempt ${task.attempt}, by ${run.agentId} (${run.personaId}).\n`,
    where,
  )
  await importRest(world, run)
  const before = readFileSync(runPath(core.root, run.agentId, run.run, 'head'), 'utf8').trim()
  const after = await commitOf(path, 'HEAD')
  return after === undefined || before === '' || before === after
    ? []
    : [...(await commitsBetween(path, before, after))]
}

const refuseSpoilt = async (path: string, branch: string, where: Pick<GitOptions, 'inside'>): Promise<void> => {
  const changed = await changedPaths(path, where)
  const conflicted = changed.filter(({ code }) => code.includes('U') || code === 'AA' || code === 'DD')
  if (conflicted.length > 0)
    throw new Refusal('conflicted', `it left conflicts in ${list(conflicted)}; resolve them there.`)
  // An untracked folder that git lists as one entry is a nested repository, of which a commit would hold only the name.
  const inner = changed.filter((entry) => entry.code === '??' && entry.path.endsWith('/'))
  if (inner.length > 0)
    throw new Refusal('git_failed', `${list(inner)} is a git repository of its own; move it away or remove its .git.`)
  const { exitCode, stdout } = await askGit(path, ['symbolic-ref', '--quiet', 'HEAD'], { answers: [1], ...where })
  if (exitCode !== 0 || stdout.trim() !== branchRef(branch)) {
    throw new Refusal('invalid_state', `the worktree is no longer on its branch ${branch}; check it out there again.`)
  }
}

const list = (entries: readonly { path: string }[]): string =>
  someOf(
    entries.map(({ path }) => path),
    3,
  )

/** More commits of one attempt are not listed individually. */
const AT_MOST = 1000

/** Records the commits made on a worktree's branch during an attempt, because its result refers to them. */
export const recordCommitsOf = async (
  world: World,
  { taskId, attempt, claimedAt, endedAt, worktree }: EndedAttempt,
): Promise<void> => {
  const { core, actor } = world
  const { branchName, sourceBranch } = (await perform(core, getWorktreeStatus, { worktreeName: worktree! }, actor))[0]!
  // The agent may have committed a moment before it said that the task is done.
  await importOwnGit(world, branchName)
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
