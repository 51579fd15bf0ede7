import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Refusal } from '../domain/refusal.ts'
import { readRegular } from './regular-file.ts'

// Where the repository of a folder lies, found without asking git: an agent can write in its worktree, and git would
// follow whatever a `.git` there says, with the configuration, filters and hooks of that other repository.

export interface GitPlace {
  /** What `--git-dir` is given. */
  readonly gitDir: string
  /** What `--work-tree` is given: the folder itself. */
  readonly workTree: string
}

/** Common git folders of the repositories that this process works on, with the main checkout of each. */
const enrolled = new Map<string, string>()

/** From now on folders of this process belong to this repository, or to another that is enrolled. */
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

/** The main checkout of the repository that owns a git folder, if it is enrolled. */
export const enrolledRoot = (gitDir: string): string | undefined => {
  const common = basename(dirname(gitDir)) === 'worktrees' && existsSync(join(gitDir, 'commondir')) ? dirname(dirname(gitDir)) : gitDir
  return enrolled.get(common)
}

/**
 * The repository of a checkout, by its `.git`; undefined where the folder has none. Refuses a worktree whose `.git` is
 * not the one that its repository knows of.
 */
export const placeOf = (folder: string): GitPlace | undefined => {
  const dotGit = join(folder, '.git')
  const entry = lstatSync(dotGit, { throwIfNoEntry: false })
  if (entry === undefined) return undefined
  if (lstatSync(folder).isSymbolicLink()) throw misled(folder, 'the folder is a link')
  const workTree = realpathSync(folder)
  const gitDir = statSync(dotGit, { throwIfNoEntry: false })?.isDirectory() ? realpathSync(dotGit) : entry.isFile() ? pointedTo(dotGit) : undefined
  if (gitDir === undefined || !existsSync(gitDir)) throw misled(folder, 'it names no git folder that exists')
  if (basename(dirname(gitDir)) === 'worktrees' && existsSync(join(gitDir, 'gitdir'))) checkLinked(folder, workTree, gitDir)
  else checkMain(folder, workTree, gitDir)
  return { gitDir, workTree }
}

const pointedTo = (dotGit: string): string | undefined => {
  const path = /^gitdir: (.+?)\r?\n?$/s.exec(readRegular(dotGit) ?? '')?.[1]
  if (path === undefined) return undefined
  const full = resolve(dirname(dotGit), path)
  return existsSync(full) ? realpathSync(full) : full
}

/** A linked worktree and its repository name each other. */
const checkLinked = (folder: string, workTree: string, gitDir: string): void => {
  const back = resolve(gitDir, (readRegular(join(gitDir, 'gitdir')) ?? '').trim())
  if (!existsSync(dirname(back)) || realpathSync(dirname(back)) !== workTree) throw misled(folder, 'it names the git folder of another worktree')
  const named = readRegular(join(gitDir, 'commondir'))
  const common = named === undefined ? undefined : resolve(gitDir, named.trim())
  if (common === undefined || !existsSync(common) || realpathSync(common) !== dirname(dirname(gitDir))) throw misled(folder, 'its git folder belongs to another repository')
  if (enrolled.size > 0 && !enrolled.has(dirname(dirname(gitDir)))) throw misled(folder, 'it belongs to another repository')
}

/** A main checkout, or a repository of its own; never in a folder that another repository holds as its worktree. */
const checkMain = (folder: string, workTree: string, gitDir: string): void => {
  const root = enrolled.get(gitDir)
  if (root !== undefined && root !== workTree) throw misled(folder, 'it names the git folder of the main checkout')
  if (root === undefined && ([...enrolled.values()].includes(workTree) || isWorktreeOfOurs(workTree))) throw misled(folder, 'it is another repository now')
  // Only worktrees have one: in a main checkout it would hand git another repository's configuration and objects.
  if (root !== undefined && existsSync(join(gitDir, 'commondir'))) throw misled(folder, 'its git folder names another one')
}

const isWorktreeOfOurs = (workTree: string): boolean =>
  [...enrolled.keys()].some((common) => {
    const worktrees = join(common, 'worktrees')
    // Git names its record of a worktree after the folder, or with a number behind that.
    return (existsSync(worktrees) ? readdirSync(worktrees) : []).some((name) => {
      const back = readRegular(join(worktrees, name, 'gitdir'))
      return back !== undefined && dirname(resolve(worktrees, name, back.trim())) === workTree
    })
  })

const misled = (folder: string, how: string): Refusal =>
  new Refusal('git_misled', `${join(folder, '.git')} no longer points where it did (${how}), so git is not run there; look into it and run 'git worktree repair'.`)
