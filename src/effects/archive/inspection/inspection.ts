import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Refusal } from '../../../domain/rules/refusal.ts'
import type { WorktreeWork } from '../../../operations/supervision/wishes.ts'
import {
  type AdminContent,
  adminContent,
  adminFolderOf,
  branchesSeen,
  type Head,
  headOf,
  inProgress,
  movedTo,
  movingBack,
  namedIn,
  presentCommit,
} from '../../worktrees/admin.ts'
import { headsOf, sortObjects, type Stash, stashesOf } from './commits.ts'
import { type Listed, listTree, readIndex, type Staged } from './index.ts'
import { type Survey, surveyFolder } from './survey.ts'
import { type Entry, walkFolder } from '../../files/entries.ts'
import { branchRef } from '../../git/commits.ts'
import { commonFolder } from '../../files/git-dir.ts'
import { gitFileOf, isFolder } from './folder.ts'

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

type Inspected = Pick<WorktreeWork, 'name' | 'path' | 'branch'>

export const inspectWorktree = async (
  root: string,
  { name, path, branch, target }: Inspected & { target: string },
): Promise<Inspection> => {
  const common = commonFolder(root)!
  const { folder, admin } = placesOf(common, { name, path, branch })
  const branchTip = (await presentCommit(root, branchRef(branch))) ?? null
  const head = admin === null ? { ref: branchRef(branch), oid: branchTip } : await headOf(root, admin)
  const [staged, committed] = [admin === null ? [] : await readIndex(root, admin), await listTree(root, head.oid)]
  const content = admin === null ? { files: [], modules: [], folders: [] } : await adminContent(admin)
  const named = await sortObjects(root, namedObjects(common, admin, branch, content))
  const branches = [
    branch,
    ...(head.ref === null ? [] : [head.ref.replace('refs/heads/', '')]),
    ...(admin === null ? [] : branchesSeen(admin)),
  ]
  const stashes = await stashesOf(root, branches, new Set(named.commits))
  const inIndex = await sortObjects(root, stagedOnly(staged, committed))
  const kept = [head.oid, branchTip, (await presentCommit(root, branchRef(target))) ?? null].filter(
    (oid) => oid !== null,
  )
  return {
    folder,
    gitFile: folder === null ? null : gitFileOf(folder),
    admin,
    adminContent: content,
    branchTip,
    head,
    staged,
    committed,
    survey:
      folder === null
        ? nothing
        : await surveyFolder(
            root,
            folder,
            new Set((staged.length === 0 ? committed : staged).map((entry) => entry.path)),
          ),
    inProgress: admin === null ? null : inProgress(admin),
    stashes,
    loose: await headsOf(root, [...named.commits, ...stashes.map(({ oid }) => oid)], kept),
    objects: { trees: named.trees, blobs: [...named.blobs, ...inIndex.blobs] },
    missing: inIndex.missing,
  }
}

/** The folder of a worktree and the one in which git keeps its data. Refuses a worktree that a person has moved. */
const placesOf = (common: string, { name, path, branch }: Inspected): Pick<Inspection, 'folder' | 'admin'> => {
  const place = existsSync(dirname(path)) ? join(realpathSync(dirname(path)), basename(path)) : path
  const folder = isFolder(place) ? place : null
  const admin = adminFolderOf(common, path) ?? adminFolderOf(common, place) ?? null
  const moved = folder === null && admin === null ? movedTo(common, { name, branch, path }) : undefined
  if (moved !== undefined)
    throw new Refusal(
      'would_lose_work',
      `Worktree ${name} was moved to ${moved} with all its files; move it back (${movingBack(moved, path)}), then try again.`,
    )
  return { folder, admin }
}

/** The objects that the worktree's own git files and the reflog of its branch name. */
const namedObjects = (
  common: string,
  admin: string | null,
  branch: string,
  content: AdminContent,
): readonly string[] => {
  const log = join('logs', branchRef(branch))
  const notes = content.files.map(({ path }) => path).filter((path) => path !== 'index')
  return [...(admin === null ? [] : namedIn(admin, notes)), ...namedIn(common, [log])]
}

/** The objects in the index that are not in the commit; a submodule's commit is not an object of this repository. */
const stagedOnly = (staged: readonly Staged[], committed: readonly Listed[]): readonly string[] => {
  const known = new Set(committed.map(({ oid }) => oid))
  return staged.filter(({ oid, mode }) => mode !== '160000' && !known.has(oid)).map(({ oid }) => oid)
}

/** True if a process has written in the worktree since it was inspected. Compares sizes and times, not bytes. */
export const changedSince = async (
  root: string,
  { path, branch }: Pick<WorktreeWork, 'path' | 'branch'>,
  found: Inspection,
): Promise<boolean> => {
  const { folder, admin, survey } = found
  const closed = new Set(survey.regenerable)
  const seen =
    folder === null ? [] : existsSync(path) ? await walkFolder(folder, { skip: (one) => closed.has(one) }) : undefined
  const same = (one: readonly Entry[] | undefined, other: readonly Entry[]): boolean =>
    one !== undefined && looks(one) === looks(other)
  if (!same(seen, survey.seen) || (folder !== null && gitFileOf(folder) !== found.gitFile)) return true
  if (admin !== null && !same((await adminContent(admin)).files, found.adminContent.files)) return true
  return ((await presentCommit(root, branchRef(branch))) ?? null) !== found.branchTip
}

const looks = (entries: readonly Entry[]): string =>
  JSON.stringify([...entries].sort((a, b) => (a.path < b.path ? -1 : 1)))

const nothing: Survey = { seen: [], kept: [], beyond: [], regenerable: [], special: [], nested: [] }
