import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { adminFolderOf } from './admin.ts'
import { commonFolder } from '../files/git-dir.ts'
import { replaceFile } from '../files/replace-file.ts'

// A worktree is built in a folder beside its final place, so that moving it is one step, and under a unique name for
// each try, so that no other process ever writes there.

const PREFIX = '.aiswarm-building-'

/**
 * A path for one try at building the worktree; its last part is the worktree's own, from which git derives the name of
 * its record.
 */
export const buildingSite = ({ name, path }: { readonly name: string; readonly path: string }): string =>
  join(dirname(path), `${PREFIX}${name}-${randomBytes(6).toString('hex')}`, basename(path))

/** Creates the parent folder, in two steps, because Node reports a read-only file system only for the last part. */
export const openSite = (site: string): void => {
  mkdirSync(dirname(dirname(site)), { recursive: true })
  mkdirSync(dirname(site), { mode: 0o700 })
}

/** Git's own folder of the worktree that it has just created there. */
export const registrationOf = (root: string, site: string): string => {
  const admin = adminFolderOf(commonFolder(root)!, site) ?? adminFolderOf(commonFolder(root)!, realpathSync(site))
  if (admin === undefined)
    throw new Refusal('git_failed', `git does not know the worktree that it just created in ${site}.`)
  return admin
}

/** The folders that earlier tries at building this worktree have left beside its place. */
export const buildingFolders = ({
  name,
  path,
}: {
  readonly name: string
  readonly path: string
}): readonly string[] => {
  try {
    return readdirSync(dirname(path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isBuilding(name, entry.name))
      .map((entry) => join(dirname(path), entry.name))
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

/** True if the parent of a folder is one in which this worktree is built. */
export const isBuildingSite = (name: string, folder: string): boolean => isBuilding(name, basename(dirname(folder)))

const isBuilding = (name: string, folder: string): boolean =>
  folder.startsWith(`${PREFIX}${name}-`) && /^[0-9a-f]{12}$/.test(folder.slice(PREFIX.length + name.length + 1))

/**
 * Makes a worktree and git's record of it name each other as after a move of its folder from `from` to `to`. Relative
 * names stay relative.
 */
export const pointTo = (registration: string, from: string, to: string): void => {
  const back = readFileSync(join(registration, 'gitdir'), 'utf8').trim()
  const there = join(to, '.git')
  replaceFile(join(registration, 'gitdir'), `${isAbsolute(back) ? there : relative(registration, there)}\n`)
  const forth = readFileSync(join(from, '.git'), 'utf8')
    .replace(/^gitdir: /, '')
    .trim()
  if (!isAbsolute(forth)) writeFileSync(join(from, '.git'), `gitdir: ${relative(to, resolve(from, forth))}\n`)
}
