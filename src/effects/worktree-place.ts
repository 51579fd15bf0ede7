import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Refusal } from '../domain/refusal.ts'
import { perform } from '../operations/kernel/perform.ts'
import { readWorktreeFolder } from '../operations/read-worktree-folder.ts'
import { commonFolder, placeOf } from './git-place.ts'
import { readRegular } from './regular-file.ts'
import type { World } from './world.ts'

/** By what a folder is known, wherever it is moved. */
export const inodeOf = (folder: string): string => String(lstatSync(folder, { bigint: true }).ino)

/**
 * The folder of a worktree, proved to be the one that was built: an agent can put a link, another folder or another `.git`
 * in its place, and what is started there next would work somewhere else, such as in the main checkout. Refuses with `git_misled`.
 */
export const provenFolder = async ({ core, actor }: Pick<World, 'core' | 'actor'>, name: string): Promise<string> => {
  const { path, inode } = await perform(core, readWorktreeFolder, { worktreeName: name }, actor)
  const why = whyAnother(core.root, path, inode)
  if (why === undefined) return path
  throw new Refusal(
    'git_misled',
    `${path} is not the folder of worktree ${name} any more (${why}), so nothing is started there. Put the folder back, or discard the worktree and restore it.`,
  )
}

/** Why the folder is not the one of the worktree, in a few words. */
const whyAnother = (root: string, path: string, inode: string | null): string | undefined => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return 'it is gone'
  if (stat.isSymbolicLink()) return 'it is a link'
  if (!stat.isDirectory()) return 'it is no folder'
  // A folder that is mounted there lies on another device.
  if (stat.dev !== lstatSync(realpathSync(dirname(path))).dev) return 'another file system is mounted there'
  const gitDir = placeOf(path)?.gitDir
  if (gitDir === undefined) return 'it has no .git'
  if (basename(dirname(gitDir)) !== 'worktrees' || dirname(dirname(gitDir)) !== commonFolder(root)) return 'its .git is not that of a worktree of this repository'
  const registered = dirname(resolve(gitDir, readRegular(join(gitDir, 'gitdir'))?.trim() ?? ''))
  if (registered !== realpathSync(path)) return `a link on the way leads to ${realpathSync(path)}`
  return inode !== null && inode !== inodeOf(path) ? 'another folder has taken its place' : undefined
}
