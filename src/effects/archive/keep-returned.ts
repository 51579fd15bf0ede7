import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { returnedRef } from '../../domain/host/remote.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { keptFolder } from '../files/paths.ts'
import { git } from '../git/git.ts'
import { stampOf } from '../worktrees/trash.ts'
import { makeArchiveCommit } from './archive-commit.ts'
import type { Ended } from './ended.ts'
import { changedSince, inspectWorktree } from './inspection/inspection.ts'

/** How often a folder is read again because a process wrote in it meanwhile. */
const RETURN_TRIES = 3

/**
 * Keeps everything of a worktree as it is now under a ref of its host, and in a tar what belongs in no git tree, as an archive
 * does; the worktree stays. Returns the ref; null if its folder is gone.
 */
export const keepReturned = async (root: string, host: string, worktree: Ended): Promise<string | null> => {
  const ref = returnedRef(host, worktree.name, stampOf(worktree.endedAt))
  const scratch = join(keptFolder(root), `making-${worktree.name}-${randomBytes(6).toString('hex')}`)
  try {
    for (let tries = 0; tries < RETURN_TRIES; tries++) {
      const found = await inspectWorktree(root, worktree)
      if (found.folder === null) return null
      rmSync(scratch, { recursive: true, force: true })
      mkdirSync(scratch, { recursive: true, mode: 0o700 })
      const made = await makeArchiveCommit(root, worktree, found, { scratch, before: undefined })
      if (made === undefined || (await changedSince(root, worktree, found))) continue
      await git(root, ['update-ref', '--end-of-options', ref, made.commit])
      return ref
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  throw new Refusal('archive_failed', `a process keeps writing to ${worktree.path}; stop it`)
}
