import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, realpathSync, rmdirSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { milliseconds } from '../domain/time.ts'
import type { WorktreeWork } from '../operations/read-wishes.ts'
import { trashUnbuilt } from './archive/trash.ts'
import { buildingFolders, isBuildingSite } from './building-site.ts'
import { git } from './git.ts'
import { branchRef, checkouts, commitOf } from './git-facts.ts'
import { commonFolder } from './git-place.ts'
import { endMarked } from './process.ts'
import { readRegular } from './regular-file.ts'
import { type HeldFolder, holdFolder, letGo, takeAway } from './take-away.ts'
import { fence, type World } from './world.ts'

// What the building of a worktree leaves behind when it fails or is cut off at any point.

/** Why git is to keep its hands off; also how a worktree is known as ours from git's first step on. */
export const reasonFor = (name: string): string => `aiswarm works here: worktree ${name}`

/** Points to where the branch was made, as long as nobody can have worked on it. */
export const madeRef = (name: string): string => `refs/aiswarm/made/${name}`

/** By these the git and the setup of a building are known when the process that started them is gone. */
export const builderMarkers = (root: string, name: string): Readonly<Record<string, string>> => ({ AISWARM_ROOT: root, AISWARM_BUILDS: name })

/**
 * Takes away what building this worktree has left so far: processes, folder, registration, and the branch where it was
 * made for it. A folder that stood in the worktree's own place goes to the trash.
 */
export const clearRemains = async (held: World, wanted: WorktreeWork): Promise<void> => {
  const { root } = held.core
  const made = await commitOf(root, madeRef(wanted.name))
  await clearTries(held, { ...wanted, reason: reasonFor(wanted.name), since: milliseconds(wanted.createdAt) - GRAIN }, () => endMarked(builderMarkers(root, wanted.name)))
  if (made !== undefined) await removeBranch(held, wanted, made)
}

/** How tries at one worktree are known. */
interface Tries {
  readonly name: string
  readonly path: string
  /** What git's record of each says why it is locked. */
  readonly reason: string
  /** Of an earlier worktree of that name, which had its own row, nothing is touched (ms since 1970). */
  readonly since: number
}

/** Takes away what tries at putting a worktree in its place have left; `first` runs where there is something. */
export const clearTries = async (held: World, tries: Tries, first: () => Promise<unknown> = async () => {}): Promise<void> => {
  const remains = remainsOf(held.core.root, tries)
  const sites = buildingFolders(tries)
  try {
    if (remains.length === 0 && sites.length === 0) return
    await fence(held)
    await first()
    for (const remnant of remains) await clear(held, tries, remnant)
    // Of tries alone, with names that nothing else has.
    for (const site of sites) await rm(site, { recursive: true, force: true })
  } finally {
    for (const { registration, folder } of remains) [registration, folder].forEach((one) => one && letGo(one))
  }
}

const clear = async (held: World, { name, path }: Tries, { registration, folder }: Remnant): Promise<void> => {
  const { root, clock } = held.core
  // Killed before it wrote where the folder is, git has put nothing into it.
  if (folder === undefined) removeEmpty(path)
  else trashUnbuilt(root, name, folder, clock())
  await fence(held)
  await removeRegistration(registration)
}

/** Takes a worktree off git's list, by hand, since git would look for its folder. */
export const removeRegistration = async (registration: HeldFolder): Promise<void> => {
  const aside = `${registration.path}.${randomBytes(6).toString('hex')}.aiswarm-ended`
  takeAway(registration, aside)
  await rm(aside, { recursive: true, force: true })
}

interface Remnant {
  /** The worktree's own folder in git's. */
  readonly registration: HeldFolder
  /** What stands in the worktree's own place and belongs to that registration. */
  readonly folder: HeldFolder | undefined
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
  return folder === undefined || samePlace(folder, path) || (isBuildingSite(name, folder) && samePlace(dirname(dirname(folder)), dirname(path)))
}

/** Where a registration says that its worktree is; undefined where git had not come to write that. */
const folderNamedIn = (registration: string): string | undefined => {
  const named = readRegular(join(registration, 'gitdir'))?.trim() ?? ''
  return named === '' || dirname(named) === '.' ? undefined : dirname(resolve(registration, named))
}

/** The folder in the worktree's place, where it and the registration name each other: anybody else's has nothing to do with the building. */
const folderOf = (registration: string, path: string): HeldFolder | undefined => {
  const named = folderNamedIn(registration)
  if (named === undefined || !samePlace(named, path)) return undefined
  const back = /^gitdir: (.+)$/.exec(readRegular(join(path, '.git'))?.trim() ?? '')?.[1]
  return back !== undefined && samePlace(resolve(path, back), registration) ? holdFolder(path) : undefined
}

/** How far behind the clock the time of a file may be (ms); some file systems count whole seconds, or two. */
const GRAIN = 2000

/** The same folder, whether it is there or not; git resolves links on the way to it. */
const samePlace = (a: string, b: string): boolean => a === b || place(a) === place(b)

const place = (path: string): string => {
  const parent = dirname(path)
  if (existsSync(path)) return realpathSync(path)
  return parent === path ? path : join(place(parent), basename(path))
}

const removeEmpty = (path: string): void => {
  try {
    rmdirSync(path)
  } catch {
    // Not there, or not empty and so not git's.
  }
}

/** Only where it stands as it was made, and nobody has it checked out. */
const removeBranch = async (held: World, { name, branch }: WorktreeWork, made: string): Promise<void> => {
  const { root } = held.core
  const stays = (await commitOf(root, branchRef(branch))) !== made || (await checkouts(root)).some((checkout) => checkout.branch === branchRef(branch))
  await fence(held)
  // Whoever finishes the worktree drops the note first: then nothing of this is done.
  await git(root, ['update-ref', '--stdin'], { input: `${stays ? '' : `delete ${branchRef(branch)} ${made}\n`}delete ${madeRef(name)} ${made}\n` })
}
