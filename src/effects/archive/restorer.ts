import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { perform } from '../../operations/door/perform.ts'
import type { RestoreWork } from '../../operations/loops/read-wishes.ts'
import { recordRestore } from '../../operations/loops/record-restore.ts'
import { adminFolderOf, reasonFor } from '../worktrees/admin.ts'
import { checkTar } from './check.ts'
import { writeBack } from './write-back.ts'
import { type Archive, readArchive } from './record.ts'
import { git } from '../git/git.ts'
import { branchRef, checkouts, commitOf } from '../git/facts.ts'
import { commonFolder } from '../files/git-place.ts'
import { fillFromTrash } from './trash-fill.ts'
import { replaceFile } from '../files/replace-file.ts'
import { buildingSite, openSite, pointTo, registrationOf } from '../worktrees/building-site.ts'
import { inodeOf } from '../worktrees/place.ts'
import { BUILDER } from '../worktrees/builder.ts'
import { clearTries } from '../worktrees/remains.ts'
import { fence, holding, type World } from '../world.ts'

/**
 * Restores an ended worktree as it was: its files byte for byte, staged changes, a merge in progress, its reflog. A
 * failure leaves it ended. A repeat after a crash starts over until everything is in place, and continues from there
 * afterwards; the reason of git's worktree lock tells the two apart.
 */
export const restoreWorktree = async (world: World, wanted: RestoreWork): Promise<void> => {
  const { core, actor } = world
  try {
    if (lockOf(core.root, wanted.path) !== isWhole(wanted)) await holding(world, BUILDER, (held) => rebuild(held, wanted))
    await fence(world)
    fillFromTrash(wanted)
    await perform(core, recordRestore, { name: wanted.worktree, branch: wanted.branch, error: null, inode: inodeOf(wanted.path) }, actor)
  } catch (error) {
    const refusal = refusalOf(wanted, error)
    if (refusal === undefined) throw error
    await perform(core, recordRestore, { name: wanted.worktree, branch: wanted.branch, error: refusal.message }, actor)
    throw refusal
  }
}

/** Builds the worktree as a new one is built: where no other process writes, then moved to its place whole. */
const rebuild = async (held: World, wanted: RestoreWork): Promise<void> => {
  const { path, worktree: name } = wanted
  const { root } = held.core
  await clearTries(held, { name, path, reason: comingBack(wanted), since: 0 })
  refuseTaken(wanted)
  const archive = await readArchive(root, wanted.ref)
  await checkTar(root, archive.record)
  await fence(held)
  const head = await placeBranches(root, wanted, archive)
  const site = buildingSite({ name, path })
  openSite(site)
  try {
    const admin = await fill(held, wanted, { archive, head, site })
    await fence(held)
    refuseTaken(wanted)
    pointTo(admin, site, path)
    renameSync(site, path)
    rmdirSync(dirname(site))
    replaceFile(join(admin, 'locked'), `${isWhole(wanted)}\n`)
  } catch (error) {
    await clearTries(held, { name, path, reason: comingBack(wanted), since: 0 })
    throw error
  }
}

const refuseTaken = ({ path, worktree }: RestoreWork): void => {
  if (lstatSync(path, { throwIfNoEntry: false })) throw new Refusal('path_exists', `${path} already exists; move it away, then restore ${worktree} again.`)
}

/** Writes everything that the archive holds and returns git's own folder of the worktree. */
const fill = async (held: World, wanted: RestoreWork, { archive, head, site }: { archive: Archive; head: string; site: string }): Promise<string> => {
  const { root } = held.core
  await git(root, ['worktree', 'add', '--no-checkout', '--detach', '--lock', '--reason', comingBack(wanted), '--end-of-options', site, archive.commit])
  const admin = registrationOf(root, site)
  const scratch = join(dirname(site), 'scratch')
  mkdirSync(scratch, { mode: 0o700 })
  try {
    await writeBack(root, archive, { folder: site, admin, head, scratch })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  return admin
}

/**
 * The lock reason in git's list of worktrees while the worktree is incomplete. Until it is complete, no process can
 * have worked in it.
 */
const comingBack = ({ worktree, ref }: RestoreWork): string => `aiswarm restores worktree ${worktree} from ${ref}`

/** The lock reason once it is complete. From then on it may contain work that the archive does not have. */
const isWhole = ({ worktree, ref }: RestoreWork): string => `${reasonFor(worktree)}, restored from ${ref}`

const adminOf = (root: string, path: string): string | undefined => adminFolderOf(commonFolder(root)!, path)

const lockOf = (root: string, path: string): string | undefined => {
  const lock = join(adminOf(root, path) ?? '/nonexistent', 'locked')
  return existsSync(lock) ? readFileSync(lock, 'utf8').trim() : undefined
}

/**
 * Resets the branches to the archive's commits and returns the content of HEAD. A branch that has moved since, or that
 * is checked out elsewhere, is left alone: the worktree's own branch then needs another name, and from any other branch
 * HEAD is detached.
 */
const placeBranches = async (root: string, { branch, worktree }: RestoreWork, { record }: Archive): Promise<string> => {
  const { head } = record
  const own = branchRef(record.branch)
  const at = head.ref === own ? head.oid : record.branchTip
  const wanted = branchRef(branch)
  if (at !== null) await placeBranch(root, wanted, at, worktree)
  if (head.ref === own || head.ref === null) return head.ref === null ? (head.oid ?? `ref: ${wanted}`) : `ref: ${wanted}`
  if (head.oid === null) return `ref: ${head.ref}`
  const free = !(await checkouts(root)).some((checkout) => checkout.branch === head.ref)
  const now = await commitOf(root, head.ref)
  if (now === undefined) await git(root, ['update-ref', '--end-of-options', head.ref, head.oid, ''])
  return free && (now === undefined || now === head.oid) ? `ref: ${head.ref}` : head.oid
}

const placeBranch = async (root: string, ref: string, at: string, worktree: string): Promise<void> => {
  const branch = ref.replace('refs/heads/', '')
  const another = `'aiswarm worktree restore ${worktree} --branch NAME' restores it on another branch.`
  const elsewhere = (await checkouts(root)).find((checkout) => checkout.branch === ref)
  if (elsewhere) throw new Refusal('invalid_state', `The branch ${branch} is checked out in ${elsewhere.path}; ${another}`)
  const now = await commitOf(root, ref)
  if (now === at) return
  if (now !== undefined) throw new Refusal('invalid_state', `The branch ${branch} has moved since ${worktree} was archived (${at.slice(0, 9)} → ${now.slice(0, 9)}); ${another}`)
  await git(root, ['update-ref', '--end-of-options', ref, at, ''])
}

const refusalOf = ({ worktree, path }: RestoreWork, error: unknown): Refusal | undefined => {
  const { code, message } = error as NodeJS.ErrnoException
  if (isRefusal(error) && error.code === 'role_lost') return undefined
  if (isRefusal(error) && error.code !== 'archive_failed') return error
  if (!isRefusal(error) && typeof code !== 'string') return undefined
  const why = code === 'ENOSPC' || code === 'EDQUOT' ? `the disk of ${dirname(path)} is full; make room and try again` : message.replace(/\.$/, '')
  return new Refusal(isRefusal(error) ? error.code : 'not_writable', `Worktree ${worktree} could not be restored; its archive is unchanged: ${why}.`, { cause: error })
}
