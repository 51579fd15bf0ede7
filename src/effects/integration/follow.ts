import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { branchRef, commitOf } from '../git/commits.ts'
import { checkouts } from '../git/repository.ts'
import { releaseIndexLock, takeIndexLock } from './index-lock.ts'
import { bringTo, sideOfIndex } from './recovery.ts'
import { clearDraft, gitFolderOf, lockedCheckout } from './locked-checkout.ts'
import type { Move } from './move.ts'
import { gitFolders } from './in-progress.ts'

/** The longest wait for a git that runs in a checkout, and the interval of checks (ms). */
const SWITCHING = 30_000
const LOOK = 100

/**
 * A `git switch` to the target that read the branch before the move and writes HEAD at its end leaves a checkout whose
 * files and index are older than its branch: the next commit there would revert the merge. This function updates such a
 * checkout.
 */
export const followInto = async (root: string, move: Move): Promise<void> => {
  const until = performance.now() + SWITCHING
  // Checks once more after the last lock is gone, for a git that had read the branch and not yet taken its lock.
  for (let quiet = 0; quiet < 2 && performance.now() < until;) {
    quiet = isGitAtWork(root) ? 0 : quiet + 1
    await sleep(LOOK)
    for (const { path, branch } of await checkouts(root))
      if (branch === branchRef(move.target) && existsSync(path)) await follow(path, move)
  }
}

const isGitAtWork = (root: string): boolean => gitFolders(root).some((gitDir) => existsSync(join(gitDir, 'index.lock')))

const follow = async (folder: string, move: Move): Promise<void> => {
  const gitDir = gitFolderOf(folder)
  const lock = join(gitDir, 'index.lock')
  if (takeIndexLock(lock, move.id) !== 'taken') return
  const checkout = await lockedCheckout(folder, gitDir)
  try {
    if ((await commitOf(folder, branchRef(move.target))) === move.to && (await sideOfIndex(checkout, move)) === 'from')
      await bringTo(checkout, move, 'to')
  } finally {
    clearDraft(checkout)
    releaseIndexLock(lock)
  }
}
