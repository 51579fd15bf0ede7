import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isBuildingSite } from './building-site.ts'
import { commonFolder } from '../files/git-dir.ts'
import { readRegular } from '../files/regular-file.ts'
import { type HeldFolder, holdFolder, letGo } from './take-away.ts'

export interface Remnant {
  /** Git's own folder of the worktree. */
  readonly registration: HeldFolder
  /** The folder in the worktree's own place that belongs to that registration. */
  readonly folder: HeldFolder | undefined
}

/** The identification of tries at one worktree. */
export interface Tries {
  readonly name: string
  readonly path: string
  /** The lock reason in git's records of them. */
  readonly reason: string
  /** Anything older belongs to an earlier worktree of that name, which had its own row, and stays (ms since 1970). */
  readonly since: number
}

export const remainsOf = (root: string, tries: Tries): readonly Remnant[] => {
  const parent = join(commonFolder(root) ?? join(root, '.git'), 'worktrees')
  if (!existsSync(parent)) return []
  return readdirSync(parent).flatMap((id): readonly Remnant[] => {
    const registration = holdFolder(join(parent, id))
    if (registration === undefined) return []
    const remnant = isRemnant(registration.path, tries)
    if (!remnant) letGo(registration)
    return remnant ? [{ registration, folder: folderOf(registration.path, tries.path) }] : []
  })
}

const isRemnant = (registration: string, { name, path, reason, since }: Tries): boolean => {
  const lock = join(registration, 'locked')
  if (readRegular(lock)?.trim() !== reason) return false
  if ((statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0) < since) return false
  const folder = folderNamedIn(registration)
  return (
    folder === undefined ||
    samePlace(folder, path) ||
    (isBuildingSite(name, folder) && samePlace(dirname(dirname(folder)), dirname(path)))
  )
}

/** The path of the worktree in a registration; undefined if git had not written it yet. */
const folderNamedIn = (registration: string): string | undefined => {
  const named = readRegular(join(registration, 'gitdir'))?.trim() ?? ''
  return named === '' || dirname(named) === '.' ? undefined : dirname(resolve(registration, named))
}

/**
 * The folder in the worktree's place, if it and the registration name each other: any other folder does not belong to
 * the build.
 */
const folderOf = (registration: string, path: string): HeldFolder | undefined => {
  const named = folderNamedIn(registration)
  if (named === undefined || !samePlace(named, path)) return undefined
  const back = /^gitdir: (.+)$/.exec(readRegular(join(path, '.git'))?.trim() ?? '')?.[1]
  return back !== undefined && samePlace(resolve(path, back), registration) ? holdFolder(path) : undefined
}

/** Compares two paths, existing or not, with links resolved as git does. */
const samePlace = (a: string, b: string): boolean => a === b || place(a) === place(b)

const place = (path: string): string => {
  const parent = dirname(path)
  if (existsSync(path)) return realpathSync(path)
  return parent === path ? path : join(place(parent), basename(path))
}
