import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { WorktreeWork } from '../../operations/loops/read-wishes.ts'
import { type AdminContent, adminContent, adminFolderOf, branchesSeen, type Head, headOf, inProgress, movedTo, movingBack, namedIn, presentCommit } from '../worktrees/admin.ts'
import { headsOf, type Stash, sortObjects, stashesOf } from './commits.ts'
import { type Listed, listTree, readIndex, type Staged } from './index.ts'
import { type Survey, surveyFolder } from './survey.ts'
import { type Entry, walkFolder } from '../files/walk.ts'
import { branchRef } from '../git/facts.ts'
import { commonFolder } from '../files/git-place.ts'

/** Everything that a worktree consists of. Finding it writes nothing and runs no git in the worktree. */
export interface Inspection {
  /** Its folder with all links resolved; null if it was deleted. */
  readonly folder: string | null
  /** The content of its `.git` file, if it has one. */
  readonly gitFile: string | null
  /** The folder in which git keeps the worktree's data; null if it was deleted. */
  readonly admin: string | null
  readonly adminContent: AdminContent
  readonly branchTip: string | null
  readonly head: Head
  readonly staged: readonly Staged[]
  readonly committed: readonly Listed[]
  readonly survey: Survey
  readonly inProgress: string | null
  readonly stashes: readonly Stash[]
  /** Commits to keep in addition to HEAD and the branch, so that every commit made here survives. */
  readonly loose: readonly string[]
  /** Objects that no commit holds: staged blobs, trees of a merge and the like. */
  readonly objects: { readonly trees: readonly string[]; readonly blobs: readonly string[] }
  /** Objects that the worktree names and git does not have. */
  readonly missing: readonly string[]
}

export const inspectWorktree = async (root: string, { name, path, branch, target }: Pick<WorktreeWork, 'name' | 'path' | 'branch'> & { target: string }): Promise<Inspection> => {
  const common = commonFolder(root)!
  const place = existsSync(dirname(path)) ? join(realpathSync(dirname(path)), basename(path)) : path
  const folder = isFolder(place) ? place : null
  const admin = adminFolderOf(common, path) ?? adminFolderOf(common, place) ?? null
  const moved = folder === null && admin === null ? movedTo(common, { name, branch, path }) : undefined
  if (moved !== undefined)
    throw new Refusal('would_lose_work', `Worktree ${name} was moved to ${moved} with all its files; move it back (${movingBack(moved, path)}), then try again.`)
  const branchTip = (await presentCommit(root, branchRef(branch))) ?? null
  const head = admin === null ? { ref: branchRef(branch), oid: branchTip } : await headOf(root, admin)
  const [staged, committed] = [admin === null ? [] : await readIndex(root, admin), await listTree(root, head.oid)]
  const content = admin === null ? { files: [], modules: [], folders: [] } : await adminContent(admin)
  const log = join('logs', branchRef(branch))
  const notes = content.files.map(({ path }) => path).filter((path) => path !== 'index')
  const past = [...(admin === null ? [] : namedIn(admin, notes)), ...namedIn(common, [log])]
  const named = await sortObjects(root, past)
  const stashes = await stashesOf(
    root,
    [branch, ...(head.ref === null ? [] : [head.ref.replace('refs/heads/', '')]), ...(admin === null ? [] : branchesSeen(admin))],
    new Set(named.commits),
  )
  const known = new Set(committed.map(({ oid }) => oid))
  const inIndex = await sortObjects(
    root,
    staged.filter(({ oid, mode }) => mode !== '160000' && !known.has(oid)).map(({ oid }) => oid),
  )
  const kept = [head.oid, branchTip, (await presentCommit(root, branchRef(target))) ?? null].filter((oid) => oid !== null)
  return {
    folder,
    gitFile: folder === null ? null : gitFileOf(folder),
    admin,
    adminContent: content,
    branchTip,
    head,
    staged,
    committed,
    survey: folder === null ? nothing : await surveyFolder(root, folder, new Set((staged.length === 0 ? committed : staged).map((entry) => entry.path))),
    inProgress: admin === null ? null : inProgress(admin),
    stashes,
    loose: await headsOf(root, [...named.commits, ...stashes.map(({ oid }) => oid)], kept),
    objects: { trees: named.trees, blobs: [...named.blobs, ...inIndex.blobs] },
    missing: inIndex.missing,
  }
}

/** True if a process has written in the worktree since it was inspected. Compares sizes and times, not bytes. */
export const changedSince = async (root: string, { path, branch }: Pick<WorktreeWork, 'path' | 'branch'>, found: Inspection): Promise<boolean> => {
  const { folder, admin, survey } = found
  const closed = new Set(survey.regenerable)
  const seen = folder === null ? [] : existsSync(path) ? await walkFolder(folder, { skip: (one) => closed.has(one) }) : undefined
  const same = (one: readonly Entry[] | undefined, other: readonly Entry[]): boolean => one !== undefined && looks(one) === looks(other)
  if (!same(seen, survey.seen) || (folder !== null && gitFileOf(folder) !== found.gitFile)) return true
  if (admin !== null && !same((await adminContent(admin)).files, found.adminContent.files)) return true
  return ((await presentCommit(root, branchRef(branch))) ?? null) !== found.branchTip
}

const looks = (entries: readonly Entry[]): string => JSON.stringify([...entries].sort((a, b) => (a.path < b.path ? -1 : 1)))

const nothing: Survey = { seen: [], kept: [], beyond: [], regenerable: [], special: [], nested: [] }

/** Refuses anything that has replaced the folder: a link would lead outside the worktree. */
export const isFolder = (path: string): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isDirectory()) return stats !== undefined
  throw new Refusal('archive_failed', stats.isSymbolicLink() ? `${path} is now a symbolic link to ${readlinkSync(path)}` : `${path} is no longer a folder`)
}

const gitFileOf = (folder: string): string | null => {
  const path = join(folder, '.git')
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  return stats?.isFile() ? readFileSync(path, 'latin1') : null
}
