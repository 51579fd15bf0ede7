import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { askGit, git } from './git.ts'
import { commonFolder } from '../files/git-place.ts'
import { readRegular } from '../files/regular-file.ts'
import { replaceFile } from '../files/replace-file.ts'

const MAIN_CHECKOUT = ['aiswarm', 'main-checkout'] as const

interface MainCheckout {
  readonly root: string
  /** False if the question was not asked yet. */
  readonly hasCommits: boolean
}

export const mainCheckout = async (folder: string): Promise<MainCheckout> => {
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
