import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { branchRef, commitOf } from './facts.ts'
import { commonFolder } from '../files/git-place.ts'
import { readRegular } from '../files/regular-file.ts'
import { currentBranch } from './repository.ts'

/** Common names of main branches, for repositories without a remote that names one. */
const usual = ['main', 'master', 'trunk', 'develop'] as const

/**
 * The branch to merge into if the configuration names none: the one that `origin/HEAD` names, else one with a common
 * name, else the branch of the main checkout.
 */
export const findTarget = async (root: string): Promise<string> => {
  const remote = /^ref: refs\/remotes\/origin\/(.+)$/.exec(
    readRegular(join(commonFolder(root)!, 'refs', 'remotes', 'origin', 'HEAD'))?.trim() ?? '',
  )?.[1]
  for (const name of [...(remote === undefined ? [] : [remote]), ...usual]) if (await isBranch(root, name)) return name
  const current = await currentBranch(root)
  return (await isBranch(root, current)) ? current : 'main'
}

/** Appended to an error about a missing branch that the configuration does not name. */
export const missingTarget = '. Set integration.target in .aiswarm/config.yaml to your main branch, or'

/** Git is started only if its files do not tell, because this delays the first frame. */
const isBranch = async (root: string, name: string): Promise<boolean> => {
  const common = commonFolder(root)!
  if (existsSync(join(common, branchRef(name)))) return true
  if (readRegular(join(common, 'packed-refs'))?.includes(` ${branchRef(name)}\n`) === true) return true
  return (await commitOf(root, branchRef(name))) !== undefined
}
