import { randomBytes } from 'node:crypto'
import { rmdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { milliseconds } from '../../domain/words/time.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { reasonFor } from './admin.ts'
import { trashUnbuilt } from './trash.ts'
import { buildingFolders } from './building-site.ts'
import { git } from '../git/git.ts'
import { branchRef, commitOf } from '../git/commits.ts'
import { checkouts } from '../git/repository.ts'
import { endMarked } from '../processes/signals.ts'
import { type HeldFolder, letGo, takeAway } from './take-away.ts'
import { fence } from '../lease.ts'
import type { World } from '../world.ts'
import { remainsOf, type Remnant, type Tries } from './remnants.ts'

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
