import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { readRegular } from './regular-file.ts'

// Finds the repository of a folder without asking git: an agent can write in its worktree, and git would follow a
// changed `.git` to another repository and use its configuration, filters and hooks.

interface GitPlace {
  /** The value of `--git-dir`. */
  readonly gitDir: string
  /** The value of `--work-tree`: the folder itself. */
  readonly workTree: string
}

/** Common git folders of the repositories that this process works on, with the main checkout of each. */
const enrolled = new Map<string, string>()

/** Registers a repository. From now on every folder that this process uses must belong to a registered repository. */
export const enrolRepository = (root: string): void => {
  const common = commonFolder(root)
  if (common !== undefined) enrolled.set(common, realpathSync(root))
}

/** The repository's common git folder, which all of its worktrees share. */
export const commonFolder = (root: string): string | undefined => {
  const dotGit = join(root, '.git')
  if (!existsSync(dotGit)) return undefined
  const gitDir = statSync(dotGit).isDirectory() ? dotGit : pointedTo(dotGit)
  if (gitDir === undefined || !existsSync(gitDir)) return undefined
  const common = readRegular(join(gitDir, 'commondir'))
  return realpathSync(common === undefined ? gitDir : resolve(gitDir, common.trim()))
}

/** The main checkout of the repository that owns a git folder, if it is registered. */
export const enrolledRoot = (gitDir: string): string | undefined => {
  const common =
    basename(dirname(gitDir)) === 'worktrees' && existsSync(join(gitDir, 'commondir'))
      ? dirname(dirname(gitDir))
      : gitDir
  return enrolled.get(common)
}

/**
 * Finds the repository of a checkout by its `.git`; undefined if the folder has none. Refuses a worktree whose `.git`
 * differs from the one that its repository records.
 */
export const placeOf = (folder: string): GitPlace | undefined => {
  const dotGit = join(folder, '.git')
  const entry = lstatSync(dotGit, { throwIfNoEntry: false })
  if (entry === undefined) return undefined
  if (lstatSync(folder).isSymbolicLink()) throw misled(folder, 'the folder is a symbolic link')
  const workTree = realpathSync(folder)
  const gitDir = statSync(dotGit, { throwIfNoEntry: false })?.isDirectory()
    ? realpathSync(dotGit)
    : entry.isFile()
      ? pointedTo(dotGit)
      : undefined
  if (gitDir === undefined || !existsSync(gitDir)) throw misled(folder, 'it names no git folder that exists')
  if (basename(dirname(gitDir)) === 'worktrees' && existsSync(join(gitDir, 'gitdir')))
    checkLinked(folder, workTree, gitDir)
  else checkMain(folder, workTree, gitDir)
  return { gitDir, workTree }
}

const pointedTo = (dotGit: string): string | undefined => {
  const path = /^gitdir: (.+?)\r?\n?$/s.exec(readRegular(dotGit) ?? '')?.[1]
  if (path === undefined) return undefined
  const full = resolve(dirname(dotGit), path)
  return existsSync(full) ? realpathSync(full) : full
}

/** Checks that a linked worktree and its repository name each other. */
const checkLinked = (folder: string, workTree: string, gitDir: string): void => {
  const back = resolve(gitDir, (readRegular(join(gitDir, 'gitdir')) ?? '').trim())
  if (!existsSync(dirname(back)) || realpathSync(dirname(back)) !== workTree)
    throw misled(folder, 'it names the git folder of another worktree')
  const named = readRegular(join(gitDir, 'commondir'))
  const common = named === undefined ? undefined : resolve(gitDir, named.trim())
  if (common === undefined || !existsSync(common) || realpathSync(common) !== dirname(dirname(gitDir)))
    throw misled(folder, 'its git folder belongs to another repository')
  if (enrolled.size > 0 && !enrolled.has(dirname(dirname(gitDir))))
    throw misled(folder, 'it belongs to another repository')
}

/**
 * Checks that a main checkout or separate repository is not in a folder that another repository records as its
 * worktree.
 */
const checkMain = (folder: string, workTree: string, gitDir: string): void => {
  const root = enrolled.get(gitDir)
  if (root !== undefined && root !== workTree) throw misled(folder, 'it names the git folder of the main checkout')
  if (root === undefined && ([...enrolled.values()].includes(workTree) || isWorktreeOfOurs(workTree)))
    throw misled(folder, 'it is now another repository')
  // Only worktrees have a commondir: in a main checkout it would give git another repository's configuration and
  // objects.
  if (root !== undefined && existsSync(join(gitDir, 'commondir')))
    throw misled(folder, 'its git folder names another one')
}

const isWorktreeOfOurs = (workTree: string): boolean =>
  [...enrolled.keys()].some((common) => {
    const worktrees = join(common, 'worktrees')
    // Git names its record of a worktree after the folder, if necessary with a number appended.
    return (existsSync(worktrees) ? readdirSync(worktrees) : []).some((name) => {
      const back = readRegular(join(worktrees, name, 'gitdir'))
      return back !== undefined && dirname(resolve(worktrees, name, back.trim())) === workTree
    })
  })

const misled = (folder: string, how: string): Refusal =>
  new Refusal(
    'git_misled',
    `${join(folder, '.git')} no longer points where it did (${how}), so git is not run there; check it and run 'git worktree repair'.`,
  )
