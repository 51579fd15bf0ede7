import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isRefusal, isUndecided, Refusal } from '../../domain/rules/refusal.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { RestoreWork } from '../../operations/supervision/wishes.ts'
import { recordRestore } from '../../operations/worktrees/archive.ts'
import { type Bytes, entryOf, pathIn, walkFolder } from '../files/entries.ts'
import { commonFolder } from '../files/git-dir.ts'
import { tarFolder } from '../files/paths.ts'
import { replaceFile } from '../files/replace-file.ts'
import { branchRef, commitOf } from '../git/commits.ts'
import { git } from '../git/git.ts'
import { checkouts } from '../git/repository.ts'
import { fence, holding } from '../lease.ts'
import { adminFolderOf, reasonFor } from '../worktrees/admin-files.ts'
import { BUILDER } from '../worktrees/builder.ts'
import { buildingSite, clearTries, openSite, pointTo, registrationOf } from '../worktrees/building-site.ts'
import { inodeOf } from '../worktrees/folder.ts'
import type { World } from '../world.ts'
import { checkTar, extractTar, extractTree, firstDifference, makeFolder } from './extraction.ts'
import { type Archive, type ArchivedEntry, readArchive } from './record.ts'

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
  if (head.ref === own || head.ref === null)
    return head.ref === null ? (head.oid ?? `ref: ${wanted}`) : `ref: ${wanted}`
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
  if (elsewhere)
    throw new Refusal('invalid_state', `The branch ${branch} is checked out in ${elsewhere.path}; ${another}`)
  const now = await commitOf(root, ref)
  if (now === at) return
  if (now !== undefined)
    throw new Refusal(
      'invalid_state',
      `The branch ${branch} has moved since ${worktree} was archived (${at.slice(0, 9)} → ${now.slice(0, 9)}); ${another}`,
    )
  await git(root, ['update-ref', '--end-of-options', ref, at, ''])
}

/**
 * Fills a worktree's empty folder that git has just created, and git's own folder of it, from an archive, and verifies
 * the files.
 */
const writeBack = async (
  root: string,
  { commit, recordCommit, record }: Archive,
  { folder, admin, head, scratch }: { folder: string; admin: string; head: string; scratch: string },
): Promise<void> => {
  const entries = record.entries.map((entry) => ({ ...entry, path: besideGit(entry.path) }))
  await extractTree(root, commit, { into: folder, scratch, format: record.format })
  for (const { path, kind } of entries) if (kind === 'folder') makeFolder(folder, path)
  for (const path of record.adminFolders) makeFolder(admin, path)
  if (record.tar !== null) {
    await extractTar(join(tarFolder(root), record.tar.file), (path) =>
      path.startsWith('admin/')
        ? { folder: admin, path: path.slice('admin/'.length) }
        : { folder, path: besideGit(path.slice('files/'.length)) },
    )
  }
  setModes(folder, entries)
  const wrong = await firstDifference(folder, entries, record.format)
  if (wrong !== undefined) throw new Refusal('archive_failed', `${wrong} was not restored unchanged`)
  if (record.admin) await adminBack(root, recordCommit, { admin, scratch, format: record.format })
  else if (record.head.oid !== null)
    await git(root, ['read-tree', record.head.oid], { environment: { GIT_INDEX_FILE: join(admin, 'index') } })
  writeFileSync(join(admin, 'HEAD'), `${head}\n`)
}

/** An entry that had replaced the worktree's `.git` file is restored under another name, next to the right one. */
const besideGit = (path: Bytes): Bytes =>
  path === '.git' || path.startsWith('.git/') ? `.git.archived${path.slice('.git'.length)}` : path

/** Sets modes from the inside out, so that a read-only folder is closed last. */
const setModes = (folder: string, entries: readonly ArchivedEntry[]): void => {
  for (const { path, kind, mode } of [...entries].reverse()) {
    if (kind !== 'link' && entryOf(folder, path)?.mode !== mode) chmodSync(pathIn(folder, path), mode)
  }
}

/** Names that locate a worktree, of which only the new ones are right, and locks, whose holders are gone. */
const notBrought = /^(gitdir|commondir|locked|HEAD|.*\.lock)$/

/** Git's own files of the worktree: the index, the reflog, a merge or a rebase in progress. */
const adminBack = async (
  root: string,
  recordCommit: string,
  { admin, scratch, format }: { admin: string; scratch: string; format: 'sha1' | 'sha256' },
): Promise<void> => {
  const into = join(scratch, 'admin')
  await extractTree(root, `${recordCommit}:admin`, { into, scratch, format })
  // The files that git wrote for the new worktree are replaced.
  for (const name of ['index', 'ORIG_HEAD', 'logs']) rmSync(join(admin, name), { recursive: true, force: true })
  for (const { path, kind } of await walkFolder(into)) {
    if (notBrought.test(path)) continue
    if (kind === 'folder') {
      if (!existsSync(pathIn(admin, path))) mkdirSync(pathIn(admin, path))
    } else copyFileSync(pathIn(into, path), pathIn(admin, path))
  }
}

/**
 * Moves entries that a restored folder lacks from the trash, if it is still there: content that was too large for the
 * archive, and folders that a build would have to regenerate. It overwrites nothing; a repeat continues with the rest.
 */
const fillFromTrash = ({ path, trashPath }: { path: string; trashPath: string | null }): void => {
  if (trashPath === null || !existsSync(trashPath)) return
  const fill = (folder: Bytes): void => {
    for (const name of readdirSync(pathIn(trashPath, folder), { encoding: 'latin1' })) {
      const inner = folder === '' ? name : `${folder}/${name}`
      if (inner === '.git') continue
      const there = lstatSync(pathIn(path, inner), { throwIfNoEntry: false })
      if (there === undefined) move(pathIn(trashPath, inner), pathIn(path, inner))
      else if (there.isDirectory() && lstatSync(pathIn(trashPath, inner)).isDirectory()) fill(inner)
    }
  }
  fill('')
}

/** On another file system the entry stays in the trash, because it can be regenerated. */
const move = (from: Buffer, to: Buffer): void => {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!['EXDEV', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
