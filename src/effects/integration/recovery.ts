import { copyFileSync, renameSync } from 'node:fs'
import { askGit, git } from '../git/git.ts'
import type { Move } from './move.ts'
import type { LockedCheckout } from './locked-checkout.ts'
import { type Side, survey } from './move-survey.ts'
import { remove, removeEmptyFolder } from './checkout-files.ts'

/** True if a file or the index shows that the move had begun. */
export const isTouched = async (checkout: LockedCheckout, move: Move): Promise<boolean> => {
  const { changed, standingOf } = await survey(checkout, move)
  const begun = changed.some(
    (one) => ['to', 'begun'].includes(standingOf(one)) || (standingOf(one) === 'gone' && one.blob.from !== null),
  )
  return begun || (await sideOfIndex(checkout, move)) === 'to'
}

/** Resets every file of the move and the index to one side of it; files that a person has changed meanwhile stay. */
export const bringTo = async (checkout: LockedCheckout, move: Move, side: Side): Promise<void> => {
  const { folder, index, draft } = checkout
  const { changed, standingOf } = await survey(checkout, move)
  copyFileSync(index, draft)
  const environment = { ...checkout.environment, GIT_INDEX_FILE: draft }
  const indexed = await sideOfIndex(checkout, move)
  if (indexed !== side) await git(folder, ['read-tree', '-m', '-i', move[indexed], move[side]], { environment })
  const ours = changed.filter((one) => standingOf(one) !== 'theirs')
  for (const one of ours.filter(({ blob }) => blob[side] === null)) remove(folder, one.path)
  const missing = ours.filter((one) => one.blob[side] !== null && standingOf(one) !== side)
  // A path that is a folder on the other side is free once its last file is deleted.
  for (const { path } of missing) removeEmptyFolder(folder, path)
  if (missing.length > 0) {
    await git(folder, ['checkout-index', '--force', '--index', '-z', '--stdin'], {
      environment,
      bytes: true,
      input: missing.map(({ path }) => `${path}\0`).join(''),
    })
  }
  await askGit(folder, ['update-index', '-q', '--refresh'], { environment, answers: [1] })
  renameSync(draft, index)
}

/** The side that the index matches, in the paths that the move changes. */
export const sideOfIndex = async ({ folder, index, environment }: LockedCheckout, move: Move): Promise<Side> => {
  const own = { ...environment, GIT_INDEX_FILE: index }
  const differs = async (side: Side): Promise<Set<string>> =>
    new Set(
      (
        await git(folder, ['diff-index', '--cached', '-z', '--name-only', '--no-renames', move[side]], {
          environment: own,
          bytes: true,
        })
      )
        .split('\0')
        .filter(Boolean),
    )
  const [from, to] = [await differs('from'), await differs('to')]
  return from.size > 0 && [...to].every((path) => from.has(path)) && to.size < from.size ? 'to' : 'from'
}
