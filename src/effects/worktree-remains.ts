import { existsSync, readdirSync, readFileSync, realpathSync, rmdirSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { milliseconds } from '../domain/time.ts'
import type { WorktreeWork } from '../operations/read-wishes.ts'
import { git } from './git.ts'
import { branchRef, checkouts, commitOf } from './git-facts.ts'
import { commonFolder } from './git-place.ts'
import { endMarked } from './process.ts'

// What the building of a worktree leaves behind when it fails or is cut off at any point.

/** Why git is to keep its hands off; also how a worktree is known as ours from git's first step on. */
export const reasonFor = (name: string): string => `aiswarm works here: worktree ${name}`

/** Points to where the branch was made, as long as nobody can have worked on it. */
export const madeRef = (name: string): string => `refs/aiswarm/made/${name}`

/** By these the git and the setup of a building are known when the process that started them is gone. */
export const builderMarkers = (root: string, name: string): Readonly<Record<string, string>> => ({ AISWARM_ROOT: root, AISWARM_BUILDS: name })

/** Takes away what building this worktree has left so far: processes, folder, registration, and the branch where it was made for it. */
export const clearRemains = async (root: string, wanted: WorktreeWork): Promise<void> => {
  const { name, path } = wanted
  const remains = remainsOf(root, wanted)
  const made = await commitOf(root, madeRef(name))
  if (remains.length === 0 && made === undefined) return
  await endMarked(builderMarkers(root, name))
  for (const { registration, folder } of remains) {
    // Killed before it wrote where the folder is, git has put nothing into it.
    if (folder === undefined) removeEmpty(path)
    else await rm(path, { recursive: true, force: true })
    await rm(registration, { recursive: true, force: true })
  }
  if (made !== undefined) await removeBranch(root, wanted, made)
}

interface Remnant {
  /** The worktree's own folder in git's. */
  readonly registration: string
  readonly folder: string | undefined
}

/** Registrations that this building has made: of an earlier worktree of that name, which had its own row, nothing is touched. */
const remainsOf = (root: string, { name, path, createdAt }: WorktreeWork): readonly Remnant[] => {
  const parent = join(commonFolder(root) ?? join(root, '.git'), 'worktrees')
  if (!existsSync(parent)) return []
  return readdirSync(parent).flatMap((id): readonly Remnant[] => {
    const registration = join(parent, id)
    const lock = join(registration, 'locked')
    if (!existsSync(lock) || readFileSync(lock, 'utf8').trim() !== reasonFor(name)) return []
    if (statSync(lock).mtimeMs < milliseconds(createdAt) - GRAIN) return []
    const folder = existsSync(join(registration, 'gitdir')) ? dirname(readFileSync(join(registration, 'gitdir'), 'utf8').trim()) : ''
    if (folder === '' || folder === '.') return [{ registration, folder: undefined }]
    return samePlace(folder, path) ? [{ registration, folder }] : []
  })
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
const removeBranch = async (root: string, { name, branch }: WorktreeWork, made: string): Promise<void> => {
  const stays = (await commitOf(root, branchRef(branch))) !== made || (await checkouts(root)).some((checkout) => checkout.branch === branchRef(branch))
  await git(root, ['update-ref', '--stdin'], { input: `${stays ? '' : `delete ${branchRef(branch)} ${made}\n`}delete ${madeRef(name)} ${made}\n` })
}
