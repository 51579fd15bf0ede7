import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Census } from '../../contracts/observations.ts'
import { changedSince, type Inspection, inspectWorktree } from './inspection/inspection.ts'
import { publish } from './publish.ts'
import { archiveRefs, readArchive } from './record.ts'
import { stampOf } from '../worktrees/trash.ts'
import { censusOf } from './inspection/census.ts'
import { keptFolder, tarFolder } from '../files/paths.ts'
import { makeArchiveCommit } from './archive-commit.ts'
import type { Ended } from './ended.ts'

export interface Archived {
  readonly ref: string
  readonly tar: string | null
  readonly census: Census | null
}

/** How often a folder is archived again because a process wrote in it meanwhile. */
const TRIES = 3

/**
 * Stores everything that a worktree consists of under a ref, plus a tar for content that belongs in no git tree, and
 * proves that the archive restores it. Returns null if nothing is left of the worktree. A repeat after a crash finds
 * the archive it made.
 */
export const archiveWorktree = async (root: string, ended: Ended): Promise<Archived | null> => {
  const stamp = stampOf(ended.endedAt)
  const before = (await archiveRefs(root, ended.name, stamp)).at(-1)
  removeScratch(root, ended.name)
  const scratch = join(keptFolder(root), `${scratchPrefix(ended.name)}${randomBytes(6).toString('hex')}`)
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const found = await inspectWorktree(root, ended)
      if (found.folder === null && before !== undefined)
        return { ref: before, tar: await tarOf(root, before), census: null }
      if (isNothing(found)) return null
      rmSync(scratch, { recursive: true, force: true })
      mkdirSync(scratch, { recursive: true, mode: 0o700 })
      const made = await makeArchiveCommit(root, ended, found, { scratch, before })
      if (made === undefined || (await changedSince(root, ended, found))) continue
      const ref = await publish(root, { worktree: ended.name, stamp, commit: made.commit, earlier: made.earlier })
      return { ref, tar: await tarOf(root, ref), census: await censusOf(root, ended, found) }
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  throw new Refusal('archive_failed', `a process keeps writing to ${ended.path}; stop it`)
}

/**
 * A unique folder for each try, because a process that has lost its role may still write in its own for a while: files
 * of two processes must not meet in one archive.
 */
const scratchPrefix = (name: string): string => `making-${name}-`

/** Removes what killed processes have left; one that only was late fails by it, and has lost its role. */
const removeScratch = (root: string, name: string): void => {
  if (!existsSync(keptFolder(root))) return
  const isScratch = (one: string): boolean =>
    one.startsWith(scratchPrefix(name)) && /^[0-9a-f]{12}$/.test(one.slice(scratchPrefix(name).length))
  for (const one of readdirSync(keptFolder(root)).filter(isScratch))
    rmSync(join(keptFolder(root), one), { recursive: true, force: true })
}

const tarOf = async (root: string, ref: string): Promise<string | null> => {
  const { tar } = (await readArchive(root, ref)).record
  return tar === null ? null : join(tarFolder(root), tar.file)
}

const isNothing = ({ folder, admin, head, branchTip, loose }: Inspection): boolean =>
  folder === null && admin === null && head.oid === null && branchTip === null && loose.length === 0
