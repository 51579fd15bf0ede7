import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { askGit, git } from './git.ts'
import { commitOf } from './facts.ts'
import { placeOf } from '../files/git-place.ts'
import { readRegular } from '../files/regular-file.ts'
import { mainCheckout } from './main-checkout.ts'

/** The repository of a folder. */
export interface Repository {
  /** The absolute path of the main checkout, which contains `.aiswarm`, for any worktree. */
  readonly root: string
  readonly name: string
}

/** The oldest git with `merge-tree --write-tree`, which integration requires. */
const oldestGit = [2, 38] as const

/**
 * Finds the main checkout from any folder of it or of its worktrees. Refuses a repository that aiswarm cannot work on.
 */
export const findRepository = async (folder: string): Promise<Repository> => {
  const start = existing(folder)
  // Both questions are asked at once and answered in order: an old git's answer to the second is ignored.
  const checkout = mainCheckout(start)
  checkout.catch(() => {})
  await refuseOldGit(start)
  const { root, hasCommits } = await checkout
  if (!hasCommits && !(await commitOf(root, 'HEAD'))) {
    throw new Refusal(
      'no_commits',
      `The repository ${root} has no commits yet; create one, for example with 'git commit --allow-empty -m "Begin"'.`,
    )
  }
  return { root, name: basename(root) }
}

/** Finds the main checkout only, for callers that need neither commits nor a new git. */
export const findCheckout = async (folder: string): Promise<string> => (await mainCheckout(existing(folder))).root

const existing = (folder: string): string => {
  const start = resolve(folder)
  if (!existsSync(start)) throw new Refusal('not_a_repository', `There is no folder ${start}.`)
  return start
}

/** The branch of the main checkout, or its commit when detached. Runs git only if the file HEAD names no branch. */
export const currentBranch = async (root: string): Promise<string> => {
  const named = /^ref: refs\/heads\/(.+)\n$/.exec(readRegular(join(placeOf(root)?.gitDir ?? root, 'HEAD')) ?? '')?.[1]
  // Other ref formats than files keep a HEAD for old programs that names an impossible branch.
  if (named !== undefined && named !== '.invalid') return named
  const { exitCode, stdout } = await askGit(root, ['symbolic-ref', '--short', '--quiet', 'HEAD'], { answers: [1] })
  return exitCode === 0 ? stdout.trim() : `detached at ${(await git(root, ['rev-parse', '--short', 'HEAD'])).trim()}`
}

const refuseOldGit = async (folder: string): Promise<void> => {
  const version = (await git(folder, ['version'], { discover: true })).trim()
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version)?.slice(1) ?? []).map(Number)
  if (major < oldestGit[0] || (major === oldestGit[0] && minor < oldestGit[1])) {
    throw new Refusal(
      'git_too_old',
      `aiswarm needs git ${oldestGit.join('.')} or newer, but this is ${version.replace('git version ', '')}; update git.`,
    )
  }
}
