import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { branchRef, commitOf } from './git-facts.ts'
import { commonFolder } from './git-place.ts'
import { readRegular } from './regular-file.ts'
import { currentBranch } from './repository.ts'

/** Names of main branches, where no remote says which it is. */
const usual = ['main', 'master', 'trunk', 'develop'] as const

/** The branch that merges go into where the configuration names none: what `origin/HEAD` says, else a usual name, else the branch of the main checkout. */
export const findTarget = async (root: string): Promise<string> => {
  const remote = /^ref: refs\/remotes\/origin\/(.+)$/.exec(readRegular(join(commonFolder(root)!, 'refs', 'remotes', 'origin', 'HEAD'))?.trim() ?? '')?.[1]
  for (const name of [...(remote === undefined ? [] : [remote]), ...usual]) if (await isBranch(root, name)) return name
  const current = await currentBranch(root)
  return (await isBranch(root, current)) ? current : 'main'
}

/** Behind a sentence about a branch that is missing because the configuration names it. */
export const missingTarget = '. Set integration.target in .aiswarm/config.yaml to your main branch, or'

/** Git is asked only where its files do not tell: this is on the way to the first frame. */
const isBranch = async (root: string, name: string): Promise<boolean> => {
  const common = commonFolder(root)!
  if (existsSync(join(common, branchRef(name)))) return true
  if (readRegular(join(common, 'packed-refs'))?.includes(` ${branchRef(name)}\n`) === true) return true
  return (await commitOf(root, branchRef(name))) !== undefined
}
