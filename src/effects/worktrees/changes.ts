import { existsSync } from 'node:fs'
import type { WorktreeContents } from '../../contracts/observations.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import { branchRef, commitFormat, commitIn, commitOf } from '../git/commits.ts'
import { askGit, git } from '../git/git.ts'
import { unquoted } from '../git/quoted-names.ts'
import { changedPaths } from '../git/working-tree.ts'
import { mapConcurrently } from '../map-concurrently.ts'

/** The most commits and the most files that are listed. */
const COMMITS = 100
const FILES = 300

/** The commits and the changed lines of each file that a worktree's branch has and its target lacks. */
export const contentsOf = async (
  root: string,
  { name, branchName, integration }: WorktreeView,
  settingsTarget: string,
): Promise<WorktreeContents> => {
  const target = integration?.target ?? settingsTarget
  const [base, branch] = await Promise.all([commitOf(root, branchRef(target)), commitOf(root, branchRef(branchName))])
  if (base === undefined) throw new Refusal('not_found', `There is no branch ${target} to compare ${name} with.`)
  if (branch === undefined) throw new Refusal('not_found', `The branch ${branchName} of ${name} is gone.`)
  const log = (await git(root, ['log', '-z', `--max-count=${COMMITS + 1}`, commitFormat, `${base}..${branch}`]))
    .split('\0')
    .filter(Boolean)
  const commits = log.slice(0, COMMITS).map(commitIn)
  const stat = await git(
    root,
    ['diff', '--numstat', '--no-renames', '--no-ext-diff', '--no-textconv', `${base}...${branch}`],
    { config: ['core.quotePath=true'] },
  )
  const lines = stat.split('\n').filter(Boolean)
  const files = lines.slice(0, FILES).map((line) => {
    const [added = '-', removed = '-', path = ''] = line.split('\t')
    return {
      path: unquoted(path),
      added: added === '-' ? null : Number(added),
      removed: removed === '-' ? null : Number(removed),
    }
  })
  return { target, commits, more: log.length > COMMITS, files, moreFiles: lines.length > FILES }
}

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
