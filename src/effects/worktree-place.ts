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
export const provenFolder = async (world: Pick<World, 'core' | 'actor'>, name: string): Promise<string> => prove(world, name, ({ inode }) => inode)

/**
 * As `provenFolder`, for a folder that leaves, if there is one: another folder in its place may leave too, since its content
 * is archived like any other. So a person whose copy of the repository has other inodes can discard and restore.
 */
export const provenPlace = async (world: Pick<World, 'core' | 'actor'>, name: string): Promise<void> => {
  const { path } = await perform(world.core, readWorktreeFolder, { worktreeName: name }, world.actor)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  // What was deleted by hand, the folder or its .git, is in the archive as far as it is there.
  if (stat === undefined || (stat.isDirectory() && lstatSync(join(path, '.git'), { throwIfNoEntry: false }) === undefined)) return
  await prove(world, name, () => null)
}

const prove = async ({ core, actor }: Pick<World, 'core' | 'actor'>, name: string, known: (folder: { inode: string | null }) => string | null): Promise<string> => {
  const folder = await perform(core, readWorktreeFolder, { worktreeName: name }, actor)
  const why = whyAnother(core.root, folder.path, known(folder))
  if (why === undefined) return folder.path
  throw new Refusal(
    'git_misled',
    `${folder.path} is not the folder of worktree ${name} any more (${why}), so nothing is started there. Put the folder back, or discard the worktree and restore it.`,
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
