import { randomUUID } from 'node:crypto'
import { linkSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { identify, livenessOf } from '../processes/identity.ts'
import { processesMarked } from '../processes/table.ts'
import { readRegular } from '../files/regular-file.ts'

// A move holds git's own lock on a checkout, `index.lock`, for its whole duration. The lock contains the name of its
// owner, so that after a crash it can be distinguished from the lock of a person's git, which is never touched.

const content = z.object({
  aiswarm: z.literal('is moving this checkout; it finishes or goes back by itself'),
  move: z.int(),
  owner: z.object({ pid: z.int(), startedAt: z.string(), bootId: z.string() }),
})

export type Taken = 'taken' | 'abandoned' | 'busy' | 'foreign'

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
