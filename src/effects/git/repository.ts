import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { commonFolder, enrolledRoot, placeOf } from '../files/git-dir.ts'
import { readRegular } from '../files/regular-file.ts'
import { replaceFile } from '../files/replace-file.ts'
import { branchRef, commitOf } from './commits.ts'
import { askGit, git } from './git.ts'

/** The repository of a folder. */
interface Repository {
  /** The absolute path of the main checkout, which contains `.aiswarm`, for any worktree. */
  readonly root: string
  readonly name: string
}

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

/** The oldest git with `merge-tree --write-tree`, which integration requires. */
const oldestGit = [2, 38] as const

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

interface MainCheckout {
  readonly root: string
  /** False if the question was not asked yet. */
  readonly hasCommits: boolean
}

const mainCheckout = async (folder: string): Promise<MainCheckout> => {
  // The current folder may be a subfolder of the repository.
  const discover = true
  const places = ['rev-parse', '--git-common-dir', '--is-bare-repository']
  // One command for all questions, because each git process delays the first frame; in a worktree, HEAD is that of the
  // worktree.
  const all = await askGit(folder, [...places, '--git-dir', 'HEAD^{commit}'], { answers: [128], discover })
  const [ownCommon, , ownGitDir] = all.stdout.split('\n')
  const hasCommits = all.exitCode === 0 && ownCommon === ownGitDir
  const { exitCode, stdout, stderr } =
    all.exitCode === 0 ? all : await askGit(folder, places, { answers: [128], discover })
  if (exitCode !== 0) throw notUsable(folder, stderr)
  const [common = '', bare] = stdout.trim().split('\n')
  const gitFolder = realpathSync(isAbsolute(common) ? common : join(folder, common))
  if (bare === 'true')
    throw new Refusal(
      'bare_repository',
      `${gitFolder} is a bare repository without files; clone it and run aiswarm in the clone.`,
    )
  if (basename(gitFolder) === '.git') return { root: dirname(gitFolder), hasCommits }
  // A submodule's configuration names its checkout, for all of its worktrees.
  const { stdout: checkout } = await askGit(
    gitFolder,
    ['config', '--file', join(gitFolder, 'config'), '--get', 'core.worktree'],
    { answers: [1], discover },
  )
  if (checkout.trim() !== '' && existsSync(resolve(gitFolder, checkout.trim())))
    return { root: realpathSync(resolve(gitFolder, checkout.trim())), hasCommits }
  return { root: await separateCheckout(folder, gitFolder), hasCommits }
}

/** Git fails for several reasons; only the usual one gets a message of aiswarm's. */
const notUsable = (folder: string, stderr: string): Refusal => {
  const said = stderr
    .replace(/^fatal: /gm, '')
    .replace(/\s+/g, ' ')
    .trim()
  const usual = said === '' || /^not a git repository/i.test(said)
  return new Refusal(
    'not_a_repository',
    usual
      ? `${folder} is not in a git repository; run 'git init' there or give another folder with --root.`
      : `git cannot open the repository of ${folder}: ${said}`,
  )
}

const MAIN_CHECKOUT = ['aiswarm', 'main-checkout'] as const

/**
 * With --separate-git-dir nothing leads from a worktree to the main checkout; aiswarm knows it after its first run
 * there.
 */
const separateCheckout = async (folder: string, gitFolder: string): Promise<string> => {
  const [gitDir = '', top = ''] = (
    await git(folder, ['rev-parse', '--path-format=absolute', '--git-dir', '--show-toplevel'], { discover: true })
  )
    .trim()
    .split('\n')
  if (realpathSync(gitDir) === gitFolder) return realpathSync(top)
  const remembered = readRegular(join(gitFolder, ...MAIN_CHECKOUT))?.trim() ?? ''
  if (existsSync(remembered) && commonFolder(remembered) === gitFolder) return realpathSync(remembered)
  throw new Refusal(
    'not_a_repository',
    `${top} is a worktree of ${gitFolder}, which does not say where its main checkout is; run aiswarm in the main checkout once, or name it with --root.`,
  )
}

/** Records the path of the main checkout if its git folder is elsewhere. */
export const rememberCheckout = (root: string): void => {
  const common = commonFolder(root)
  if (common === undefined || common === realpathSync(join(root, '.git'))) return
  const path = join(common, ...MAIN_CHECKOUT)
  if (readRegular(path)?.trim() === root) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  replaceFile(path, `${root}\n`)
}

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

export interface Checkout {
  readonly path: string
  /** `refs/heads/…`, or null when detached. */
  readonly branch: string | null
  /** The lock reason; null when it is not locked. */
  readonly lock: string | null
}

/**
 * Every checkout of the repository: the main one first, then the linked worktrees. Git derives the main one from its
 * git folder, which is wrong in a submodule and with `--separate-git-dir`; there the registered path is used.
 */
export const checkouts = async (folder: string): Promise<readonly Checkout[]> => {
  const main = enrolledRoot(placeOf(folder)?.gitDir ?? folder)
  const [first, ...linked] = await listed(folder)
  return first === undefined ? [] : [main === undefined ? first : { ...first, path: main }, ...linked]
}

const listed = async (folder: string): Promise<readonly Checkout[]> => {
  const out = await git(folder, ['worktree', 'list', '--porcelain', '-z'])
  return out
    .split('\0\0')
    .filter(Boolean)
    .map((entry) => {
      const lines = entry.split('\0')
      const value = (key: string): string | undefined =>
        lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1)
      return { path: value('worktree') ?? '', branch: value('branch') ?? null, lock: value('locked') ?? null }
    })
}
