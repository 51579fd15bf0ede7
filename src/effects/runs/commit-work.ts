import { readFileSync } from 'node:fs'
import { someOf } from '../../domain/words/counts.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { getAgent } from '../../operations/agents/list.ts'
import { getTask } from '../../operations/tasks/detail.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { askGit } from '../git/git.ts'
import { branchRef, commitOf, commitsBetween } from '../git/commits.ts'
import { changedPaths, commitAll } from '../git/working-tree.ts'
import { runPath } from '../files/paths.ts'
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
  await refuseSpoilt(path, branchName)
  await commitAll(
    path,
    `${task.title}\n\nTask ${task.id}, attempt ${task.attempt}, by ${run.agentId} (${run.personaId}).\n`,
  )
  const before = readFileSync(runPath(core.root, run.agentId, run.run, 'head'), 'utf8').trim()
  const after = await commitOf(path, 'HEAD')
  return after === undefined || before === '' || before === after
    ? []
    : [...(await commitsBetween(path, before, after))]
}

const refuseSpoilt = async (path: string, branch: string): Promise<void> => {
  const changed = await changedPaths(path)
  const conflicted = changed.filter(({ code }) => code.includes('U') || code === 'AA' || code === 'DD')
  if (conflicted.length > 0)
    throw new Refusal('conflicted', `it left conflicts in ${list(conflicted)}; resolve them there.`)
  // An untracked folder that git lists as one entry is a nested repository, of which a commit would hold only the name.
  const inner = changed.filter((entry) => entry.code === '??' && entry.path.endsWith('/'))
  if (inner.length > 0)
    throw new Refusal('git_failed', `${list(inner)} is a git repository of its own; move it away or remove its .git.`)
  const { exitCode, stdout } = await askGit(path, ['symbolic-ref', '--quiet', 'HEAD'], { answers: [1] })
  if (exitCode !== 0 || stdout.trim() !== branchRef(branch)) {
    throw new Refusal('invalid_state', `the worktree is no longer on its branch ${branch}; check it out there again.`)
  }
}

const list = (entries: readonly { path: string }[]): string =>
  someOf(
    entries.map(({ path }) => path),
    3,
  )
