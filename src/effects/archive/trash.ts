import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../../domain/refusal.ts'
import { milliseconds } from '../../domain/time.ts'
import { perform } from '../../operations/kernel/perform.ts'
import { readTrash } from '../../operations/read-trash.ts'
import { recordSweep } from '../../operations/record-sweep.ts'
import { archiveRefs, stampOf } from './record.ts'
import { trashFolder } from '../places.ts'
import { type HeldFolder, takeAway } from '../take-away.ts'
import type { World } from '../world.ts'

/** Moves the folder of a worktree to the trash as it is, in one step; gives where it is, null where there is none. */
export const moveToTrash = (root: string, { name, path }: { name: string; path: string }, endedAt: string, folder: HeldFolder | undefined): string | null => {
  const places = placesOf(root, { name, path }, endedAt)
  if (folder === undefined) return places.find(existsSync) ?? null
  return moveToFree(root, folder, places)
}

const moveToFree = (root: string, folder: HeldFolder, places: readonly string[]): string => {
  mkdirSync(trashFolder(root), { recursive: true, mode: 0o700 })
  for (const place of places) {
    if (existsSync(place)) continue
    try {
      takeAway(folder, place)
      return place
    } catch (error) {
      // Another file system: a name beside it keeps the content where it is.
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    }
  }
  throw new Refusal('archive_failed', `there is no free name for it in ${trashFolder(root)}; empty that folder`)
}

/**
 * Moves the folder of a worktree that was never finished to the trash, where it takes the place of an earlier one. It
 * has no archive: what a person has put into it meanwhile is found there for as long as `worktrees.retention` says.
 */
export const trashUnbuilt = (root: string, name: string, folder: HeldFolder, at: string): void => {
  const earlier = existsSync(trashFolder(root)) ? readdirSync(trashFolder(root)).filter((one) => UNBUILT.test(one) && NAME.exec(one.replace(UNBUILT, ''))?.[1] === name) : []
  moveToFree(
    root,
    folder,
    placesOf(root, { name, path: folder.path }, at).map((place) => `${place}${SUFFIX}`),
  )
  for (const one of earlier) rmSync(join(trashFolder(root), one), { recursive: true, force: true })
}

const SUFFIX = '.unbuilt'
const UNBUILT = /\.unbuilt$/

/** Where the folder of one removal may lie, in the order in which places are tried. */
const placesOf = (root: string, { name, path }: { name: string; path: string }, endedAt: string): readonly string[] => {
  const stamp = stampOf(endedAt)
  return ['', '-2', '-3'].flatMap((again) => [join(trashFolder(root), `${name}-${stamp}${again}`), `${path}.trash-${stamp}${again}`])
}

export interface Swept {
  /** Folders that are gone for good. */
  readonly removed: readonly string[]
  /** Folders that are old enough, but stay, and why. */
  readonly kept: readonly { readonly path: string; readonly why: string }[]
}

/**
 * Removes folders from the trash that have lain there for longer than `worktrees.retention`. Archives are never touched;
 * a folder whose archive is not there stays, since it may be the only copy.
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
    // Removing a large folder must not keep everything else from its turn.
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

const NAME = /^(.+)-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z)(?:-\d)?$/

/** By their names: a folder in the trash is known without the database too. Those beside their worktree are known by their row alone. */
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
  UNBUILT.test(path) || (await archiveRefs(root, worktree, stamp)).length > 0 ? undefined : `its archive refs/aiswarm/archive/${worktree}/${stamp} is gone`
