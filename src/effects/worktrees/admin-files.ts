import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { shellLine } from '../../domain/words/shell-words.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { type Bytes, type Entry, pathIn, walkFolder } from '../files/entries.ts'
import { readRegular } from '../files/regular-file.ts'
import { branchRef, commitOf } from '../git/commits.ts'
import { askGit } from '../git/git.ts'

// Git keeps per-worktree data in `worktrees/<id>` of the repository's own folder: HEAD, the index, the reflog, merges
// and rebases in progress, and the repositories of submodules.

/**
 * Returns the folder in which git keeps the data of the worktree at `path`, or undefined if git does not know the
 * worktree.
 */
export const adminFolderOf = (common: string, path: string): string | undefined => {
  const worktrees = join(common, 'worktrees')
  if (!existsSync(worktrees)) return undefined
  return readdirSync(worktrees)
    .map((id) => join(worktrees, id))
    .find((admin) => {
      const back = readRegular(join(admin, 'gitdir'))
      return back !== undefined && dirname(resolve(admin, back.trim())) === path
    })
}

/** The command that moves a worktree from `moved` back to `path`, quoted unless it contains quotes itself. */
export const movingBack = (moved: string, path: string): string => {
  const line = shellLine(['git', 'worktree', 'move', '-f', '-f', moved, path])
  return line.includes("'") ? line : `'${line}'`
}

/**
 * Returns the folder to which a worktree moved that is no longer at `path`, as git records it, or undefined if git
 * records none.
 */
export const movedTo = (
  common: string,
  { name, branch, path }: { name: string; branch: string; path: string },
): string | undefined => {
  const worktrees = join(common, 'worktrees')
  const ours = (id: string): boolean => {
    const lock = readRegular(join(worktrees, id, 'locked'))?.trim()
    if (lock !== undefined && (lock === reasonFor(name) || lock.startsWith(`${reasonFor(name)}, `))) return true
    // Unlocking deletes the lock reason, but git's name for the worktree and its branch remain.
    return (
      id.replace(/\d+$/, '') === basename(path).replace(/\d+$/, '') &&
      readRegular(join(worktrees, id, 'HEAD'))?.trim() === `ref: ${branchRef(branch)}`
    )
  }
  return (existsSync(worktrees) ? readdirSync(worktrees) : []).filter(ours).flatMap((id) => {
    const back = readRegular(join(worktrees, id, 'gitdir'))
    const folder = back === undefined ? path : dirname(resolve(worktrees, id, back.trim()))
    return existsSync(folder) ? [folder] : []
  })[0]
}

export interface AdminContent {
  readonly files: readonly Entry[]
  /** Files in the repositories of its submodules. */
  readonly modules: readonly Entry[]
  /** All folders, including empty ones. */
  readonly folders: readonly Bytes[]
}

export const adminContent = async (admin: string): Promise<AdminContent> => {
  const all = await walkFolder(admin)
  const isModule = ({ path }: Entry): boolean => path.startsWith('modules/')
  return {
    files: all.filter((entry) => entry.kind === 'file' && !isModule(entry)),
    modules: all.filter((entry) => (entry.kind === 'file' || entry.kind === 'link') && isModule(entry)),
    folders: all.filter(({ kind }) => kind === 'folder').map(({ path }) => path),
  }
}

export interface Head {
  /** The branch that is checked out; null when detached. */
  readonly ref: string | null
  /** Null where there is no commit yet. */
  readonly oid: string | null
}

export const headOf = async (root: string, admin: string): Promise<Head> => {
  const said = (readRegular(join(admin, 'HEAD')) ?? '').trim()
  const ref = /^ref: (.+)$/.exec(said)?.[1]
  return said === ''
    ? { ref: null, oid: null }
    : { ref: ref ?? null, oid: (await presentCommit(root, ref ?? said)) ?? null }
}

/**
 * As `commitOf`, but refuses a name whose commit is missing or damaged instead of reporting that there is no commit.
 */
export const presentCommit = async (root: string, revision: string): Promise<string | undefined> => {
  const found = await commitOf(root, revision)
  if (found !== undefined) return found
  const { exitCode, stdout } = await askGit(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', revision], {
    answers: [1, 128],
  })
  if (exitCode === 0)
    throw new Refusal(
      'archive_failed',
      `the commit ${stdout.trim().slice(0, 12)} of ${revision} is missing or damaged; 'git fsck' shows more`,
    )
  return undefined
}

/** Every branch that HEAD has been on, as far back as its reflog goes. */
export const branchesSeen = (admin: string): readonly string[] => {
  const log = readRegular(join(admin, 'logs', 'HEAD')) ?? ''
  return [...log.matchAll(/\tcheckout: moving from (\S+) to (\S+)$/gm)].flatMap(([, from = '', to = '']) => [from, to])
}

/** The operation in progress (merge, rebase, …) in git's word for it. */
export const inProgress = (admin: string): string | null => {
  const signs = {
    MERGE_HEAD: 'merge',
    'rebase-merge': 'rebase',
    'rebase-apply': 'rebase',
    CHERRY_PICK_HEAD: 'cherry-pick',
    REVERT_HEAD: 'revert',
    BISECT_LOG: 'bisect',
  }
  return Object.entries(signs).find(([file]) => existsSync(join(admin, file)))?.[1] ?? null
}

/** Largest file that is searched for object names (bytes). */
const LARGE = 16 * 1024 * 1024

/**
 * Everything in these files that looks like an object name: earlier positions of HEAD, and commits being merged, picked
 * or rebased.
 */
export const namedIn = (folder: string, paths: readonly Bytes[]): readonly string[] => {
  const found = new Set<string>()
  for (const path of paths) {
    const file = pathIn(folder, path)
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats === undefined || !stats.isFile() || stats.size > LARGE) continue
    for (const [oid] of readFileSync(file, 'latin1').matchAll(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g))
      if (!/^0+$/.test(oid)) found.add(oid)
  }
  return [...found]
}

/** The lock reason in git's record, which also identifies a worktree of aiswarm from git's first step on. */
export const reasonFor = (name: string): string => `aiswarm works here: worktree ${name}`

// Why a worktree can no longer be inspected, as a message that a person can act on.

/**
 * The reason why a worktree is not where it was built: its folder was deleted or moved, as git records it; undefined if
 * it is there. Starts no process.
 */
export const absenceOf = (
  common: string,
  { name, branch, path }: Pick<WorktreeWork, 'name' | 'branch' | 'path'>,
): string | undefined => {
  if (existsSync(path)) return undefined
  const moved = movedTo(common, { name, branch, path })
  return moved === undefined
    ? 'its folder is gone'
    : `its folder was moved to ${moved}; ${movingBack(moved, path)} moves it back`
}
