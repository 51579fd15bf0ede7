import { existsSync } from 'node:fs'
import type { World } from './world.ts'
import { getWorktreeStatus } from '../operations/get-worktree-status.ts'
import { perform } from '../operations/kernel/perform.ts'
import { git } from './git.ts'
import { branchRef, changedPaths, commitOf } from './git-facts.ts'

/** What a worktree holds that its target does not. */
export interface Census {
  /** Uncommitted paths: the archive keeps them. */
  readonly uncommitted: readonly string[]
  /** Commits that are on no other branch: the archive keeps them. */
  readonly unmergedCommits: number
  /** Ignored files that a build does not make again: only the trash folder keeps them. */
  readonly ignored: readonly string[]
}

/** Folders that tools fill again by themselves. */
const regenerable = /(^|\/)(node_modules|dist|build|out|target|coverage|\.cache|\.next|\.turbo|\.venv|venv|__pycache__|\.pytest_cache|\.gradle)\//

export const takeCensus = async ({ core, actor }: World, name: string): Promise<Census> => {
  const worktree = (await perform(core, getWorktreeStatus, { worktreeName: name }, actor))[0]!
  if (!existsSync(worktree.path)) return { uncommitted: [], unmergedCommits: 0, ignored: [] }
  const changed = await changedPaths(worktree.path, { ignored: true })
  const tip = await commitOf(core.root, branchRef(worktree.branchName))
  // Before --branches, --exclude takes the name without refs/heads.
  const unmerged = tip === undefined ? '0' : await git(core.root, ['rev-list', '--count', tip, '--not', `--exclude=${worktree.branchName}`, '--branches', '--remotes', '--tags'])
  return {
    uncommitted: changed.filter(({ code }) => code !== '!!').map(({ path }) => path),
    unmergedCommits: Number(unmerged),
    ignored: changed.filter(({ code, path }) => code === '!!' && !regenerable.test(path)).map(({ path }) => path),
  }
}
