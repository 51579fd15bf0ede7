import { lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readWorktreeFolder } from '../../operations/worktrees/status.ts'
import { commonFolder, placeOf } from '../files/git-dir.ts'
import { readRegular } from '../files/regular-file.ts'
import type { World } from '../world.ts'

// The folder of a worktree: whether it is still the one that was built.

/**
 * The folder of a worktree, verified to be the one that was built: an agent can replace it by a link or another folder,
 * or change its `.git`, and the next process there would work somewhere else, such as in the main checkout. Refuses
 * with `git_misled`.
 */
export const provenFolder = async ({ core, actor }: Pick<World, 'core' | 'actor'>, name: string): Promise<string> => {
  const { path, inode } = await perform(core, readWorktreeFolder, { worktreeName: name }, actor)
  const why = whyAnother(core.root, path, inode)
  if (why === undefined) return path
  throw replaced({ name, path }, why)
}

const replaced = ({ name, path }: { readonly name: string; readonly path: string }, why: string): Refusal =>
  new Refusal(
    'git_misled',
    `${path} is no longer the folder of worktree ${name} (${why}), so nothing is started there. Move the folder back, or discard the worktree and restore it.`,
  )

/** The reason why the folder is not the worktree's, in a few words. */
const whyAnother = (root: string, path: string, inode: string | null): string | undefined => {
  const none = whyNoFolder(path)
  if (none !== undefined) return none
  // A mount point is on another device.
  if (lstatSync(path).dev !== lstatSync(realpathSync(dirname(path))).dev) return 'another file system is mounted there'
  const gitDir = placeOf(path)?.gitDir
  if (gitDir === undefined) return 'it has no .git'
  if (basename(dirname(gitDir)) !== 'worktrees' || dirname(dirname(gitDir)) !== commonFolder(root))
    return 'its .git is not that of a worktree of this repository'
  const registered = dirname(resolve(gitDir, readRegular(join(gitDir, 'gitdir'))?.trim() ?? ''))
  if (registered !== realpathSync(path)) return `a symbolic link in the path leads to ${realpathSync(path)}`
  return inode !== null && inode !== inodeOf(path) ? 'another folder has replaced it' : undefined
}

const whyNoFolder = (path: string): string | undefined => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return 'it is gone'
  if (stat.isSymbolicLink()) return 'it is a symbolic link'
  return stat.isDirectory() ? undefined : 'it is not a folder'
}

/** The identity of a folder, which survives a move. */
export const inodeOf = (folder: string): string => String(lstatSync(folder, { bigint: true }).ino)

/** Refuses anything that has replaced the folder: a link would lead outside the worktree. */
export const isFolder = (path: string): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isDirectory()) return stats !== undefined
  throw new Refusal(
    'archive_failed',
    stats.isSymbolicLink()
      ? `${path} is now a symbolic link to ${readlinkSync(path)}`
      : `${path} is no longer a folder`,
  )
}

export const gitFileOf = (folder: string): string | null => {
  const path = join(folder, '.git')
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  return stats?.isFile() ? readFileSync(path, 'latin1') : null
}
