import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { trashFolder } from '../files/paths.ts'

/** Moves the folder of a worktree to the trash in one step. Returns its place there, or null if there is no folder. */
export const moveToTrash = (
  root: string,
  { name, path }: { name: string; path: string },
  endedAt: string,
  folder: HeldFolder | undefined,
): string | null => {
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
      // The trash is on another file system: a name beside the worktree keeps the content on this one.
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    }
  }
  throw new Refusal('archive_failed', `there is no free name for it in ${trashFolder(root)}; empty that folder`)
}

/**
 * Moves the folder of a worktree that was never completed to the trash, where it replaces an earlier one. It has no
 * archive: files that a person has put in it meanwhile stay there for the time of `worktrees.retention`.
 */
export const trashUnbuilt = (root: string, name: string, folder: HeldFolder, at: string): void => {
  const earlier = existsSync(trashFolder(root))
    ? readdirSync(trashFolder(root)).filter(
        (one) => UNBUILT.test(one) && NAME.exec(one.replace(UNBUILT, ''))?.[1] === name,
      )
    : []
  moveToFree(
    root,
    folder,
    placesOf(root, { name, path: folder.path }, at).map((place) => `${place}${SUFFIX}`),
  )
  for (const one of earlier) rmSync(join(trashFolder(root), one), { recursive: true, force: true })
}

const SUFFIX = '.unbuilt'
/** Ends the name of a folder that was never completed. */
export const UNBUILT = /\.unbuilt$/

/** The places for the folder of one removal, in the order in which they are tried. */
const placesOf = (root: string, { name, path }: { name: string; path: string }, endedAt: string): readonly string[] => {
  const stamp = stampOf(endedAt)
  return ['', '-2', '-3'].flatMap((again) => [
    join(trashFolder(root), `${name}-${stamp}${again}`),
    `${path}.trash-${stamp}${again}`,
  ])
}

/** A name in the trash: the worktree, the time, and a number where that name was taken. */
export const NAME = /^(.+)-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z)(?:-\d)?$/

/** Formats an instant for the name of a ref or a file. */
export const stampOf = (at: string): string => at.replace(/[:.]/g, '-')

// Removing by name is a race: between the check and the removal this process may be stopped for minutes, and the name
// may belong to another's work when it continues. Therefore a folder is held by its open descriptor, moved away in one
// step, and compared with the held one; a different one is moved back at once.

/**
 * A folder that was checked, whatever happens to its name since. The system does not reuse its inode while it is open.
 */
export interface HeldFolder {
  readonly path: string
  readonly descriptor: number
}

/** Opens a folder in order to remove it; undefined if there is none. A link is not followed. */
export const holdFolder = (path: string): HeldFolder | undefined => {
  try {
    return { path, descriptor: openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW) }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

export const letGo = ({ descriptor }: HeldFolder): void => closeSync(descriptor)

/**
 * Moves exactly the held folder to `to`, on the same file system. Refuses with `role_lost` if its name now belongs to
 * another folder.
 */
export const takeAway = ({ path, descriptor }: HeldFolder, to: string): void => {
  renameSync(path, to)
  const [held, moved] = [fstatSync(descriptor, { bigint: true }), lstatSync(to, { bigint: true })]
  if (held.dev === moved.dev && held.ino === moved.ino) return
  putBack(to, path)
  throw new Refusal('role_lost', `${path} is now another folder; it is left in place.`)
}

const putBack = (from: string, to: string): void => {
  try {
    renameSync(from, to)
  } catch (error) {
    throw new Refusal(
      'would_lose_work',
      `${to} was moved to ${from} and could not be moved back (${(error as Error).message}); move it back by hand.`,
      { cause: error },
    )
  }
}
