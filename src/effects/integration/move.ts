import { randomUUID } from 'node:crypto'
import { linkSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import { placeOf } from '../files/git-dir.ts'
import { readRegular } from '../files/regular-file.ts'
import { branchRef, commitOf } from '../git/commits.ts'
import { withoutPrograms } from '../git/drivers.ts'
import { askGit, firstLineOf } from '../git/git.ts'
import { identify, livenessOf } from '../processes/identity.ts'
import { processesMarked } from '../processes/table.ts'

// A move of a branch: how it ends, and the lock that it holds on a checkout meanwhile.

export interface Move {
  /** The id of the integration. */
  readonly id: number
  readonly target: string
  readonly from: string
  readonly to: string
  /** For the reflog. */
  readonly message: string
  /** The target is already there; only remains of a crash must be removed. */
  readonly landed: boolean
  /** A process had begun the move before. */
  readonly resumed: boolean
}

/**
 * `held`: the target cannot be moved now, and a person must act; `stale`: it has moved elsewhere; `busy`: another
 * process is moving it.
 */
export type Moved =
  { readonly kind: 'moved' } | { readonly kind: 'busy' } | { readonly kind: 'held' | 'stale'; readonly problem: string }

/** Moves only the branch, if it is still at the start of the move; a lock, for example, may prevent that too. */
export const swap = async (folder: string, move: Move): Promise<Moved> => {
  const { target, from, to, message } = move
  const { exitCode, stderr } = await askGit(
    folder,
    ['update-ref', '-m', message, '--end-of-options', branchRef(target), to, from],
    { answers: [1, 128] },
  )
  if (exitCode === 0) return { kind: 'moved' }
  return (await commitOf(folder, branchRef(target))) === from
    ? held(`${target} could not be moved: ${firstLineOf(stderr)}; fix that, then approve again.`)
    : stale(move)
}

export const held = (problem: string): Moved => ({ kind: 'held', problem })
export const stale = ({ target }: Pick<Move, 'target'>): Moved => ({
  kind: 'stale',
  problem: `${target} has moved since the merge was created; aiswarm merges again.`,
})

/** A checkout whose index no other process can write now. */
export interface LockedCheckout {
  readonly folder: string
  readonly lock: string
  readonly index: string
  /** The path of the new index. */
  readonly draft: string
  readonly environment: Readonly<Record<string, string>>
}

export const lockedCheckout = async (folder: string, gitDir: string): Promise<LockedCheckout> => {
  const lock = join(gitDir, 'index.lock')
  return {
    folder,
    lock,
    index: join(gitDir, 'index'),
    draft: join(gitDir, 'aiswarm-index'),
    environment: { ...(await withoutPrograms(folder)), ...moveMarker(lock) },
  }
}

export const gitFolderOf = (folder: string): string => {
  const place = placeOf(folder)
  if (place === undefined)
    throw new Refusal(
      'git_misled',
      `${folder} no longer has a .git, but git lists it as a checkout; restore it, or run 'git worktree prune', then try again.`,
    )
  return place.gitDir
}

/** Deletes the draft, which only the holder of the lock has. */
export const clearDraft = ({ draft }: LockedCheckout): void => {
  for (const path of [draft, `${draft}.lock`]) rmSync(path, { force: true })
}

// A move holds git's own lock on a checkout, `index.lock`, for its whole duration. The lock contains the name of its
// owner, so that after a crash it can be distinguished from the lock of a person's git, which is never touched.

const content = z.object({
  aiswarm: z.literal('is moving this checkout; it finishes or goes back by itself'),
  move: z.int(),
  owner: z.object({ pid: z.int(), startedAt: z.string(), bootId: z.string() }),
})

type Taken = 'taken' | 'abandoned' | 'busy' | 'foreign'

/** Marks the git processes of a move, which may outlive the process that started them. */
export const moveMarker = (lockPath: string): Record<string, string> => ({ AISWARM_MOVE: lockPath })

/**
 * Takes the lock: `taken`; `abandoned` if an earlier aiswarm process died during a move and the lock is now ours;
 * `busy` while such a process or its git still runs; `foreign` if the lock is not aiswarm's.
 */
export const takeIndexLock = (lockPath: string, move: number): Taken => {
  const own = identify(process.pid)
  if (own === undefined) return 'busy'
  const draft = join(dirname(lockPath), `${DRAFT}${process.pid}.${randomUUID()}`)
  clearDrafts(dirname(lockPath))
  writeFileSync(draft, `${JSON.stringify({ aiswarm: content.shape.aiswarm.value, move, owner: own })}\n`, { flag: 'w' })
  try {
    // A hard link publishes the complete file, so that a lock of aiswarm always contains its owner.
    linkSync(draft, lockPath)
    return 'taken'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const holder = ownerOf(lockPath)
    if (holder === undefined) return 'foreign'
    const isOurs = holder.pid === own.pid && holder.startedAt === own.startedAt && holder.bootId === own.bootId
    if (!isOurs && livenessOf(holder) !== 'dead') return 'busy'
    if (processesMarked(moveMarker(lockPath)).length > 0) return 'busy'
    writeFileSync(lockPath, readFileSync(draft))
    return 'abandoned'
  } finally {
    rmSync(draft, { force: true })
  }
}

const DRAFT = 'aiswarm-lock.'

/**
 * Deletes drafts of processes that were killed before they had the lock. The draft's content names the owner, because
 * its number may be of another pid namespace.
 */
const clearDrafts = (gitDir: string): void => {
  for (const name of readdirSync(gitDir).filter((one) => one.startsWith(DRAFT))) {
    const path = join(gitDir, name)
    const owner = ownerOf(path)
    const isLeft = owner === undefined ? wasWritten(path, LONG_AGO) : livenessOf(owner) === 'dead'
    if (isLeft) rmSync(path, { force: true })
  }
}

/** A draft is complete after a moment (ms). */
const LONG_AGO = 60_000

const wasWritten = (path: string, ago: number): boolean =>
  Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > ago

export const releaseIndexLock = (lockPath: string): void => rmSync(lockPath, { force: true })

/** True if the lock belongs to aiswarm, whether or not its owner still runs. */
export const isOurLock = (lockPath: string): boolean => ownerOf(lockPath) !== undefined

const ownerOf = (lockPath: string): z.output<typeof content>['owner'] | undefined => {
  try {
    return content.parse(JSON.parse(readRegular(lockPath) ?? '')).owner
  } catch {
    return undefined
  }
}
