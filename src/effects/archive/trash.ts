import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { milliseconds } from '../../domain/words/time.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readTrash, recordSweep } from '../../operations/worktrees/archive.ts'
import { trashFolder } from '../files/paths.ts'
import type { Job } from '../job.ts'
import { NAME, UNBUILT } from '../worktrees/trash.ts'
import type { World } from '../world.ts'
import { archiveRefs } from './record.ts'

interface Swept {
  /** Folders that were deleted. */
  readonly removed: readonly string[]
  /** Folders that are old enough but stay, and why. */
  readonly kept: readonly { readonly path: string; readonly why: string }[]
}

/**
 * Deletes folders that have been in the trash for longer than `worktrees.retention`. Archives are never touched. A
 * folder whose archive is missing stays, since it may be the only copy.
 */
export const sweepTrash = async (world: World): Promise<Swept> => {
  const { core, actor } = world
  const oldest = milliseconds(core.clock()) - core.settings.worktrees.retention
  const rows = await perform(core, readTrash, {}, actor)
  const removed: string[] = []
  const kept: { path: string; why: string }[] = []
  for (const found of inTrash(core.root, rows)) {
    if (found.endedAt > oldest) continue
    const why = await whyKeep(core.root, found)
    if (why !== undefined) {
      kept.push({ path: found.path, why })
      continue
    }
    await rm(found.path, { recursive: true, force: true, maxRetries: 2 })
    // Deleting a large folder must not block the event loop.
    await sleep(0)
    removed.push(found.path)
  }
  const vanished = rows.filter(({ trashPath }) => !existsSync(trashPath)).map(({ trashPath }) => trashPath)
  if (vanished.length > 0) await perform(core, recordSweep, { trashPaths: vanished }, actor)
  return { removed, kept }
}

interface InTrash {
  readonly path: string
  readonly worktree: string
  readonly stamp: string
  readonly endedAt: number
}

/**
 * Finds folders in the trash by their names, so that it needs no database rows. Folders beside their worktree are known
 * by their rows only.
 */
const inTrash = (root: string, rows: readonly { worktree: string; trashPath: string }[]): readonly InTrash[] => {
  const folder = trashFolder(root)
  const listed = existsSync(folder) ? readdirSync(folder).map((name) => ({ path: join(folder, name), name })) : []
  const beside = rows.flatMap(({ worktree, trashPath }) => {
    const stamp = /\.trash-([^/]+)$/.exec(trashPath)?.[1]
    return stamp !== undefined && existsSync(trashPath) ? [{ path: trashPath, name: `${worktree}-${stamp}` }] : []
  })
  return [...listed, ...beside].flatMap(({ path, name }) => {
    const [, worktree = '', stamp = ''] = NAME.exec(name.replace(UNBUILT, '')) ?? []
    const endedAt = Date.parse(stamp.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z/, 'T$1:$2:$3.$4Z'))
    return Number.isNaN(endedAt) ? [] : [{ path, worktree, stamp, endedAt }]
  })
}

const whyKeep = async (root: string, { path, worktree, stamp }: InTrash): Promise<string | undefined> =>
  UNBUILT.test(path) || (await archiveRefs(root, worktree, stamp)).length > 0
    ? undefined
    : `its archive refs/aiswarm/archive/${worktree}/${stamp} is gone`

/** How often the trash is swept, and how long after the start for the first time (ms). */
const pace = { first: 60_000, every: 3_600_000 } as const

/** Deletes folders from the trash that are old enough, and reports once which were deleted and which could not be. */
export const trashJobsOf = (world: World, begun: number): ((now: number) => readonly Job[]) => {
  let due = begun + pace.first
  const told = new Set<string>()
  const run = async (): Promise<void> => {
    const { removed, kept } = await sweepTrash(world)
    if (removed.length > 0)
      world.report(
        `Removed from the trash (their archives remain): ${removed.map((path) => basename(path)).join(', ')}.`,
      )
    for (const { path, why } of kept.filter(({ path }) => !told.has(path))) {
      told.add(path)
      world.report(`${path} stays in the trash: ${why}.`)
    }
  }
  return (now) => {
    if (now < due) return []
    due = now + pace.every
    return [{ key: 'trash', run }]
  }
}
