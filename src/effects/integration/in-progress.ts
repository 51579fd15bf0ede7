import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { commonFolder } from '../files/git-dir.ts'
import { readRegular } from '../files/regular-file.ts'

export const unfinishedIn = (gitDir: string): string | undefined =>
  Object.entries({
    MERGE_HEAD: 'a merge',
    CHERRY_PICK_HEAD: 'a cherry-pick',
    REVERT_HEAD: 'a revert',
    'rebase-merge': 'a rebase',
    'rebase-apply': 'a rebase',
  }).find(([name]) => existsSync(join(gitDir, name)))?.[1]

/** The git folders of all checkouts of the repository. */
export const gitFolders = (root: string): readonly string[] => {
  const common = commonFolder(root)!
  const linked = join(common, 'worktrees')
  return [common, ...(existsSync(linked) ? readdirSync(linked).map((name) => join(linked, name)) : [])]
}

/** The branch that a rebase in this checkout moves at its end. */
export const rebasedIn = (gitDir: string): string | undefined => {
  const [name] = ['rebase-merge/head-name', 'rebase-apply/head-name'].flatMap(
    (path) => readRegular(join(gitDir, path)) ?? [],
  )
  return name?.trim()
}
