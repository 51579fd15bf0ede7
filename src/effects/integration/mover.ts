import { copyFileSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { askGit, firstLineOf } from '../git/git.ts'
import { branchRef, commitOf } from '../git/commits.ts'
import { type Checkout, checkouts } from '../git/repository.ts'
import { isOurLock, releaseIndexLock, takeIndexLock } from './index-lock.ts'
import { overwrittenBy } from './overwrites.ts'
import { bringTo, isTouched } from './recovery.ts'
import { clearDraft, gitFolderOf, type LockedCheckout, lockedCheckout } from './locked-checkout.ts'
import { held, type Move, type Moved, stale, swap } from './move.ts'
import { gitFolders, rebasedIn, unfinishedIn } from './in-progress.ts'
import { followInto } from './follow.ts'
import { inTheWay, refusals, whyRefused } from './refusals.ts'

/**
 * Moves a branch forward: by compare-and-swap if it is not checked out, otherwise as `merge --ff-only` does in that
 * checkout, which keeps unrelated edits and refuses to overwrite others. If it is killed at any point, the next call
 * for the same move completes or reverts it.
 * It does not use `merge --ff-only` itself, because a git that is killed in between leaves a lock without an owner and
 * half of the files: here the same steps run one by one under a lock that names its owner.
 */
export const moveTarget = async (root: string, move: Move): Promise<Moved> => {
  const ref = branchRef(move.target)
  const all = (await checkouts(root)).filter(({ path }) => existsSync(path))
  const rebasing = gitFolders(root).some((gitDir) => rebasedIn(gitDir) === ref)
  if (rebasing) return held(`A checkout is rebasing ${move.target}; finish or abort the rebase, then approve again.`)
  const standing = all.filter(({ branch }) => branch === ref)
  // The branch would move without the files of the other checkouts, which would then seem to revert the merge.
  if (standing.length > 1 && !move.landed && !move.resumed) return held(inTwoPlaces(move, standing))
  const checkout = standing.find(({ path }) => isOurLock(join(gitFolderOf(path), 'index.lock'))) ?? standing[0]
  if (checkout) return moveCheckout(checkout.path, move)
  if (move.landed || move.from === move.to) return { kind: 'moved' }
  const moved = await swap(root, move)
  if (moved.kind === 'moved') await followInto(root, move)
  return moved
}

const moveCheckout = async (folder: string, move: Move): Promise<Moved> => {
  const gitDir = gitFolderOf(folder)
  const lock = join(gitDir, 'index.lock')
  if ((move.landed || move.from === move.to) && !isOurLock(lock)) return { kind: 'moved' }
  const unfinished = unfinishedIn(gitDir)
  if (unfinished !== undefined && !isOurLock(lock))
    return held(`${folder} has ${unfinished} in progress; finish or abort it, then approve again.`)
  const taken = takeIndexLock(lock, move.id)
  if (taken === 'busy') return { kind: 'busy' }
  if (taken === 'foreign')
    return held(
      `Another git process runs in ${folder} (${lock} exists); wait until it ends, or remove that file if none is running, then approve again.`,
    )
  const checkout = await lockedCheckout(folder, gitDir)
  clearDraft(checkout)
  try {
    return (taken === 'abandoned' || move.resumed) && (await isTouched(checkout, move))
      ? await finish(checkout, move)
      : await advance(checkout, move)
  } finally {
    clearDraft(checkout)
    releaseIndexLock(lock)
  }
}

/** Updates files, index and branch, in this order; every refusal happens before the first file. */
const advance = async (checkout: LockedCheckout, move: Move): Promise<Moved> => {
  const { folder, index, draft } = checkout
  if (move.landed || move.from === move.to) return { kind: 'moved' }
  const overwritten = await overwrittenBy(folder, move.from, move.to)
  if (overwritten.length > 0) return held(inTheWay(folder, move, overwritten))
  if (!existsSync(index)) return held(`${folder} has no index; run 'git reset' there, then approve again.`)
  copyFileSync(index, draft)
  const environment = { ...checkout.environment, GIT_INDEX_FILE: draft }
  const refreshed = await askGit(folder, ['update-index', '-q', '--refresh'], { environment, answers: [1, 128] })
  if (refreshed.exitCode === 128)
    return held(
      `${move.target} could not be moved in ${folder}: ${firstLineOf(refreshed.stderr)}; fix that, then approve again.`,
    )
  const { exitCode, stderr } = await askGit(folder, ['read-tree', '-m', '-u', move.from, move.to], {
    environment,
    answers: [1, 128],
    timeout: LONG,
  })
  if (exitCode !== 0) {
    if (refusals.test(stderr))
      return (await commitOf(folder, branchRef(move.target))) === move.from
        ? held(await whyRefused(folder, move, stderr))
        : stale(move)
    await bringTo(checkout, move, 'from')
    return held(
      `${move.target} could not be moved in ${folder}, and the checkout was restored: ${firstLineOf(stderr)}; fix that, then approve again.`,
    )
  }
  renameSync(draft, index)
  const moved = await swap(folder, move)
  if (moved.kind !== 'moved') await bringTo(checkout, move, 'from')
  return moved
}

/** Completes a move that another process began if the branch can still follow, and reverts it otherwise. */
const finish = async (checkout: LockedCheckout, move: Move): Promise<Moved> => {
  const at = await commitOf(checkout.folder, branchRef(move.target))
  if (at !== move.from && at !== move.to) {
    // If the move was completed and the branch has moved since, its files are already right.
    if (!move.landed) await bringTo(checkout, move, 'from')
    return move.landed ? { kind: 'moved' } : stale(move)
  }
  await bringTo(checkout, move, 'to')
  const moved: Moved = at === move.to ? { kind: 'moved' } : await swap(checkout.folder, move)
  if (moved.kind !== 'moved') await bringTo(checkout, move, 'from')
  return moved
}

/** Milliseconds without output that git may take for the files of a large merge. */
const LONG = 30 * 60_000

const inTwoPlaces = ({ target }: Move, [one, other]: readonly Checkout[]): string =>
  `${target} is checked out in ${one!.path} and in ${other!.path}, but a merge can update only one of them; switch the other to another branch, then approve again.`
