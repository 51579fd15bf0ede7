import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { Refusal } from '../domain/refusal.ts'
import { askGit, git } from './git.ts'
import { commitOf } from './git-facts.ts'
import { commonFolder, placeOf } from './git-place.ts'
import { readRegular } from './regular-file.ts'
import { replaceFile } from './replace-file.ts'

/** The repository that a folder belongs to. */
export interface Repository {
  /** Absolute path of the main checkout; `.aiswarm` lies in it, whichever worktree one stands in. */
  readonly root: string
  readonly name: string
}

/** The oldest git with `merge-tree --write-tree`, on which integration rests. */
const oldestGit = [2, 38] as const

/** Finds the main checkout from any folder of it or of its worktrees. Refuses what aiswarm cannot work on. */
export const findRepository = async (folder: string): Promise<Repository> => {
  const start = existing(folder)
  // Asked at once, answered in turn: what an old git says to the second question does not matter.
  const checkout = mainCheckout(start)
  checkout.catch(() => {})
  await refuseOldGit(start)
  const { root, hasCommits } = await checkout
  if (!hasCommits && !(await commitOf(root, 'HEAD'))) {
    throw new Refusal('no_commits', `The repository ${root} has no commits yet; make a first one, for example with 'git commit --allow-empty -m "Begin"'.`)
  }
  return { root, name: basename(root) }
}

/** The main checkout alone, for what needs neither commits nor a new git. */
export const findCheckout = async (folder: string): Promise<string> => (await mainCheckout(existing(folder))).root

const existing = (folder: string): string => {
  const start = resolve(folder)
  if (!existsSync(start)) throw new Refusal('not_a_repository', `There is no folder ${start}.`)
  return start
}

/** The branch that the main checkout is on, or its commit when detached. Git is asked only where the file HEAD names no branch. */
export const currentBranch = async (root: string): Promise<string> => {
  const named = /^ref: refs\/heads\/(.+)\n$/.exec(readRegular(join(placeOf(root)?.gitDir ?? root, 'HEAD')) ?? '')?.[1]
  // Other stores of references than files keep a HEAD for old programs, which names a branch that cannot be.
  if (named !== undefined && named !== '.invalid') return named
  const { exitCode, stdout } = await askGit(root, ['symbolic-ref', '--short', '--quiet', 'HEAD'], { answers: [1] })
  return exitCode === 0 ? stdout.trim() : `detached at ${(await git(root, ['rev-parse', '--short', 'HEAD'])).trim()}`
}

const refuseOldGit = async (folder: string): Promise<void> => {
  const version = (await git(folder, ['version'], { discover: true })).trim()
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version)?.slice(1) ?? []).map(Number)
  if (major < oldestGit[0] || (major === oldestGit[0] && minor < oldestGit[1])) {
    throw new Refusal('git_too_old', `aiswarm needs git ${oldestGit.join('.')} or newer, this is ${version.replace('git version ', '')}; update git.`)
  }
}

interface Checkout {
  readonly root: string
  /** False where that was not asked yet. */
  readonly hasCommits: boolean
}

const mainCheckout = async (folder: string): Promise<Checkout> => {
  // One may stand in a sub folder of the repository.
  const discover = true
  const places = ['rev-parse', '--git-common-dir', '--is-bare-repository']
  // All in one, since each git that is started holds up the first frame; in a worktree, HEAD is that of the worktree.
  const all = await askGit(folder, [...places, '--git-dir', 'HEAD^{commit}'], { answers: [128], discover })
  const [ownCommon, , ownGitDir] = all.stdout.split('\n')
  const hasCommits = all.exitCode === 0 && ownCommon === ownGitDir
  const { exitCode, stdout, stderr } = all.exitCode === 0 ? all : await askGit(folder, places, { answers: [128], discover })
  if (exitCode !== 0) throw notUsable(folder, stderr)
  const [common = '', bare] = stdout.trim().split('\n')
  const gitFolder = realpathSync(isAbsolute(common) ? common : join(folder, common))
  if (bare === 'true') throw new Refusal('bare_repository', `${gitFolder} is a bare repository without files; clone it and run aiswarm in the clone.`)
  if (basename(gitFolder) === '.git') return { root: dirname(gitFolder), hasCommits }
  // A submodule says where its checkout lies, whichever of its worktrees one stands in.
  const { stdout: checkout } = await askGit(gitFolder, ['config', '--file', join(gitFolder, 'config'), '--get', 'core.worktree'], { answers: [1], discover })
  if (checkout.trim() !== '' && existsSync(resolve(gitFolder, checkout.trim()))) return { root: realpathSync(resolve(gitFolder, checkout.trim())), hasCommits }
  return { root: await separateCheckout(folder, gitFolder), hasCommits }
}

/** Git says no for several reasons; only the usual one is said in our words. */
const notUsable = (folder: string, stderr: string): Refusal => {
  const said = stderr
    .replace(/^fatal: /gm, '')
    .replace(/\s+/g, ' ')
    .trim()
  const usual = said === '' || /^not a git repository/i.test(said)
  return new Refusal(
    'not_a_repository',
    usual ? `${folder} is not in a git repository; run 'git init' there or give another folder with --root.` : `git does not open the repository of ${folder}: ${said}`,
  )
}

/** With --separate-git-dir nothing of git's leads from a worktree to the main checkout: it is known once aiswarm has run there. */
const separateCheckout = async (folder: string, gitFolder: string): Promise<string> => {
  const [gitDir = '', top = ''] = (await git(folder, ['rev-parse', '--path-format=absolute', '--git-dir', '--show-toplevel'], { discover: true })).trim().split('\n')
  if (realpathSync(gitDir) === gitFolder) return realpathSync(top)
  const remembered = readRegular(join(gitFolder, ...MAIN_CHECKOUT))?.trim() ?? ''
  if (existsSync(remembered) && commonFolder(remembered) === gitFolder) return realpathSync(remembered)
  throw new Refusal(
    'not_a_repository',
    `${top} is a worktree of ${gitFolder}, which does not say where its main checkout is; run aiswarm in the main checkout once, or name it with --root.`,
  )
}

const MAIN_CHECKOUT = ['aiswarm', 'main-checkout'] as const

/** Remembers where the main checkout is, where its git folder lies apart. */
export const rememberCheckout = (root: string): void => {
  const common = commonFolder(root)
  if (common === undefined || common === realpathSync(join(root, '.git'))) return
  const path = join(common, ...MAIN_CHECKOUT)
  if (readRegular(path)?.trim() === root) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  replaceFile(path, `${root}\n`)
}
