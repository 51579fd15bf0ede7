import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Census } from '../../contracts/observations.ts'
import { returnedRef } from '../../domain/host/remote.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { keptFolder, tarFolder } from '../files/paths.ts'
import { commitOf } from '../git/commits.ts'
import { askGit, firstLineOf, git } from '../git/git.ts'
import { stampOf } from '../worktrees/trash.ts'
import { makeArchiveCommit } from './archive-commit.ts'
import { censusOf } from './census.ts'
import { changedSince, type Inspection, inspectWorktree } from './inspection.ts'
import { type Archive, archiveFolder, archiveRefs, type Ended, readArchive } from './record.ts'

interface Archived {
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

interface Publication {
  readonly worktree: string
  /** Names the removal. */
  readonly stamp: string
  readonly commit: string
  /** The archive of the same removal that this one continues and replaces. */
  readonly earlier?: Pick<Archive, 'ref' | 'commit'> | undefined
}

/**
 * Stores an archive's commit under its ref and reads it back. Never replaces an archive that another process has
 * published meanwhile. If a killed git command left a lock on that name, the next name is used: the owner of the lock
 * cannot be known, so the lock is never removed.
 */
export const publish = async (root: string, { worktree, stamp, commit, earlier }: Publication): Promise<string> => {
  const names = ['', '-2', '-3', '-4', '-5'].map((suffix) => `${archiveFolder(worktree)}/${stamp}${suffix}`)
  let said = ''
  for (const ref of names.slice(Math.max(0, names.indexOf(earlier?.ref ?? '')))) {
    if ((await commitOf(root, ref)) === commit) return ref
    const { exitCode, stderr } = await askGit(
      root,
      ['update-ref', '--end-of-options', ref, commit, ref === earlier?.ref ? earlier.commit : ''],
      { answers: [1, 128] },
    )
    if (exitCode === 0 && (await commitOf(root, ref)) === commit) return ref
    said = firstLineOf(stderr)
    if (!stderr.includes(".lock': File exists")) break
  }
  throw new Refusal('archive_failed', `its archive's ref could not be written (${said})`)
}

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
