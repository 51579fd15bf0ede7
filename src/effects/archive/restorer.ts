import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRefusal, isUndecided, Refusal } from '../../domain/rules/refusal.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { RestoreWork } from '../../operations/supervision/wishes.ts'
import { recordRestore } from '../../operations/worktrees/archive.ts'
import { adminFolderOf, reasonFor } from '../worktrees/admin.ts'
import { checkTar } from './check.ts'
import { writeBack } from './write-back.ts'
import { type Archive, readArchive } from './record.ts'
import { git } from '../git/git.ts'
import { commonFolder } from '../files/git-dir.ts'
import { fillFromTrash } from './trash-fill.ts'
import { replaceFile } from '../files/replace-file.ts'
import { buildingSite, openSite, pointTo, registrationOf } from '../worktrees/building-site.ts'
import { inodeOf } from '../worktrees/place.ts'
import { BUILDER } from '../worktrees/builder.ts'
import { clearTries } from '../worktrees/remains.ts'
import { fence, holding } from '../lease.ts'
import type { World } from '../world.ts'
import { placeBranches } from './place-branches.ts'

/**
 * Restores an ended worktree as it was: its files byte for byte, staged changes, a merge in progress, its reflog. A
 * failure leaves it ended. A repeat after a crash starts over until everything is in place, and continues from there
 * afterwards; the reason of git's worktree lock tells the two apart.
 */
export const restoreWorktree = async (world: World, wanted: RestoreWork): Promise<void> => {
  const { core, actor } = world
  try {
    if (lockOf(core.root, wanted.path) !== isWhole(wanted))
      await holding(world, BUILDER, (held) => rebuild(held, wanted))
    await fence(world)
    fillFromTrash(wanted)
    await perform(
      core,
      recordRestore,
      { name: wanted.worktree, branch: wanted.branch, error: null, inode: inodeOf(wanted.path) },
      actor,
    )
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
  if (lstatSync(path, { throwIfNoEntry: false }))
    throw new Refusal('path_exists', `${path} already exists; move it away, then restore ${worktree} again.`)
}

/** Writes everything that the archive holds and returns git's own folder of the worktree. */
const fill = async (
  held: World,
  wanted: RestoreWork,
  { archive, head, site }: { archive: Archive; head: string; site: string },
): Promise<string> => {
  const { root } = held.core
  await git(root, [
    'worktree',
    'add',
    '--no-checkout',
    '--detach',
    '--lock',
    '--reason',
    comingBack(wanted),
    '--end-of-options',
    site,
    archive.commit,
  ])
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

const refusalOf = ({ worktree, path }: RestoreWork, error: unknown): Refusal | undefined => {
  const { code, message } = error as NodeJS.ErrnoException
  if (isUndecided(error)) return undefined
  if (isRefusal(error) && error.code !== 'archive_failed') return error
  if (!isRefusal(error) && typeof code !== 'string') return undefined
  const why =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? `the disk of ${dirname(path)} is full; make room and try again`
      : message.replace(/\.$/, '')
  return new Refusal(
    isRefusal(error) ? error.code : 'not_writable',
    `Worktree ${worktree} could not be restored; its archive is unchanged: ${why}.`,
    { cause: error },
  )
}
