import { closeSync, constants, fstatSync, lstatSync, openSync, renameSync } from 'node:fs'
import { Refusal } from '../../domain/rules/refusal.ts'

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
