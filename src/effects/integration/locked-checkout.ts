import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { placeOf } from '../files/git-dir.ts'
import { withoutPrograms } from '../git/drivers.ts'
import { moveMarker } from './index-lock.ts'

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
