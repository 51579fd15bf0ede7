import { existsSync } from 'node:fs'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import { askGit } from '../git/git.ts'
import { branchRef } from '../git/commits.ts'
import { changedPaths } from '../git/working-tree.ts'
import { mapConcurrently } from '../map-concurrently.ts'

/** Paths that live worktrees change, committed or not, with the names of those worktrees. */
export const touchedElsewhere = async (
  root: string,
  target: string,
  worktrees: readonly WorktreeView[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const live = worktrees.filter(({ status, folder }) => status === 'active' && folder === 'ready')
  const touched = new Map<string, string[]>()
  const paths = await mapConcurrently(live, 8, (worktree) => pathsOf(root, target, worktree))
  live.forEach(({ name }, n) => {
    for (const path of paths[n]!) touched.set(path, [...(touched.get(path) ?? []), name])
  })
  return touched
}

const pathsOf = async (
  root: string,
  target: string,
  { branchName, path }: WorktreeView,
): Promise<ReadonlySet<string>> => {
  const { exitCode, stdout } = await askGit(
    root,
    ['diff', '--name-only', '--no-renames', '-z', `${branchRef(target)}...${branchRef(branchName)}`, '--'],
    { answers: [128] },
  )
  const uncommitted = existsSync(path) ? await changedPaths(path).catch(() => []) : []
  return new Set([...(exitCode === 0 ? stdout.split('\0').filter(Boolean) : []), ...uncommitted.map((one) => one.path)])
}
