import { Refusal } from '../../domain/rules/refusal.ts'
import type { WorktreeContents } from '../../contracts/observations.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import { unquoted } from '../git/quoted-names.ts'
import { git } from '../git/git.ts'
import { branchRef, commitFormat, commitIn, commitOf } from '../git/commits.ts'

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
