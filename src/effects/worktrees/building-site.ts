import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { milliseconds } from '../../domain/words/time.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { commonFolder } from '../files/git-dir.ts'
import { readRegular } from '../files/regular-file.ts'
import { replaceFile } from '../files/replace-file.ts'
import { branchRef, commitOf } from '../git/commits.ts'
import { git } from '../git/git.ts'
import { checkouts } from '../git/repository.ts'
import { fence } from '../lease.ts'
import { endMarked } from '../processes/signals.ts'
import type { World } from '../world.ts'
import { adminFolderOf, reasonFor } from './admin-files.ts'
import { type HeldFolder, holdFolder, letGo, takeAway, trashUnbuilt } from './trash.ts'

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

/** The folders that earlier tries at building this worktree have left beside its place. */
const buildingFolders = ({ name, path }: { readonly name: string; readonly path: string }): readonly string[] => {
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
const isBuildingSite = (name: string, folder: string): boolean => isBuilding(name, basename(dirname(folder)))

const isBuilding = (name: string, folder: string): boolean =>
  folder.startsWith(`${PREFIX}${name}-`) && /^[0-9a-f]{12}$/.test(folder.slice(PREFIX.length + name.length + 1))

// Removes the remains of building a worktree after a failure or a crash at any point.

/** Names the commit at which the branch was created, while no process can have worked on it. */
export const madeRef = (name: string): string => `refs/aiswarm/made/${name}`

/** Markers that identify the git and the setup of a build after the process that started them is gone. */
export const builderMarkers = (root: string, name: string): Readonly<Record<string, string>> => ({
  AISWARM_ROOT: root,
  AISWARM_BUILDS: name,
})

/**
 * Removes everything that building this worktree has left so far: processes, folder, registration, and the branch if it
 * was created for it. A folder in the worktree's own place goes to the trash.
 */
export const clearRemains = async (held: World, wanted: WorktreeWork): Promise<void> => {
  const { root } = held.core
  const made = await commitOf(root, madeRef(wanted.name))
  await clearTries(
    held,
    { ...wanted, reason: reasonFor(wanted.name), since: milliseconds(wanted.createdAt) - GRAIN },
    () => endMarked(builderMarkers(root, wanted.name)),
  )
  if (made !== undefined) await removeBranch(held, wanted, made)
}

/** The identification of tries at one worktree. */
interface Tries {
  readonly name: string
  readonly path: string
  /** The lock reason in git's records of them. */
  readonly reason: string
  /** Anything older belongs to an earlier worktree of that name, which had its own row, and stays (ms since 1970). */
  readonly since: number
}

/** Removes everything that tries at placing a worktree have left; `first` runs if there is something. */
export const clearTries = async (
  held: World,
  tries: Tries,
  first: () => Promise<unknown> = async () => {},
): Promise<void> => {
  const remains = remainsOf(held.core.root, tries)
  const sites = buildingFolders(tries)
  try {
    if (remains.length === 0 && sites.length === 0) return
    await fence(held)
    await first()
    for (const remnant of remains) await clear(held, tries, remnant)
    // Only of tries, whose names are unique.
    for (const site of sites) await rm(site, patiently)
  } finally {
    for (const { registration, folder } of remains) [registration, folder].forEach((one) => one && letGo(one))
  }
}

interface Remnant {
  /** Git's own folder of the worktree. */
  readonly registration: HeldFolder
  /** The folder in the worktree's own place that belongs to that registration. */
  readonly folder: HeldFolder | undefined
}

const clear = async (held: World, { name, path }: Tries, { registration, folder }: Remnant): Promise<void> => {
  const { root, clock } = held.core
  // A git that was killed before it recorded the folder has put nothing in it.
  if (folder === undefined) removeEmpty(path)
  else trashUnbuilt(root, name, folder, clock())
  await fence(held)
  await removeRegistration(registration)
}

/**
 * A process that woke up late, or its git, may still write for a moment into the folder being removed, which is then
 * not empty at first.
 */
const patiently = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 } as const

/** Removes a worktree from git's list directly, because git would look for its folder. */
export const removeRegistration = async (registration: HeldFolder): Promise<void> => {
  const aside = `${registration.path}.${randomBytes(6).toString('hex')}.aiswarm-ended`
  takeAway(registration, aside)
  await rm(aside, patiently)
}

/** How much older than the clock the time of a file may be (ms); some file systems count whole seconds, or two. */
const GRAIN = 2000

const removeEmpty = (path: string): void => {
  try {
    rmdirSync(path)
  } catch {
    // Missing, or not empty and therefore not git's.
  }
}

/** Only if it is unmoved since its creation, and not checked out. */
const removeBranch = async (held: World, { name, branch }: WorktreeWork, made: string): Promise<void> => {
  const { root } = held.core
  const stays =
    (await commitOf(root, branchRef(branch))) !== made ||
    (await checkouts(root)).some((checkout) => checkout.branch === branchRef(branch))
  await fence(held)
  // The process that finishes the worktree deletes the mark first: then this transaction fails as a whole.
  await git(root, ['update-ref', '--stdin'], {
    input: `${stays ? '' : `delete ${branchRef(branch)} ${made}\n`}delete ${madeRef(name)} ${made}\n`,
  })
}

const remainsOf = (root: string, tries: Tries): readonly Remnant[] => {
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
