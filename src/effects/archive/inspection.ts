import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { type Bytes, bytesOf, type Entry, walkFolder } from '../files/entries.ts'
import { commonFolder } from '../files/git-dir.ts'
import { branchRef } from '../git/commits.ts'
import { git } from '../git/git.ts'
import {
  adminContent,
  type AdminContent,
  adminFolderOf,
  branchesSeen,
  type Head,
  headOf,
  inProgress,
  movedTo,
  movingBack,
  namedIn,
  presentCommit,
} from '../worktrees/admin-files.ts'
import { gitFileOf, isFolder } from '../worktrees/folder.ts'
import { type Survey, surveyFolder } from './survey.ts'

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

/** A line of the index: the staged content, and the file's size and time when it last matched. */
interface Staged {
  readonly path: Bytes
  readonly mode: string
  readonly oid: string
  /** Above 0 while there is a conflict. */
  readonly stage: string
  /** Seconds and nanoseconds. */
  readonly modified: string
  readonly size: number
  /** True if a sparse checkout leaves the file out, so that it does not count as deleted. */
  readonly skipped: boolean
}

/** A line of a commit's tree. */
interface Listed {
  readonly path: Bytes
  readonly mode: string
  readonly oid: string
}

interface Stash {
  readonly oid: string
  readonly subject: string
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

/** The index of a worktree, empty if it has none. Refuses an index that git cannot read. */
const readIndex = async (root: string, admin: string): Promise<readonly Staged[]> => {
  const file = join(admin, 'index')
  if (!existsSync(file)) return []
  const out = await readable(
    file,
    git(root, ['ls-files', '--stage', '--debug', '-z'], {
      environment: { GIT_INDEX_FILE: file },
      config: asItStands,
      timeout: 600_000,
    }),
  )
  return [...out.matchAll(line)].map(
    ([, mode = '', oid = '', stage = '', path = '', modified = '', size = '0', flags = '0']) => ({
      path: bytesOf(path),
      mode,
      oid,
      stage,
      modified,
      size: Number(size),
      skipped: (parseInt(flags, 16) & SKIPPED) !== 0,
    }),
  )
}

const line =
  /(\d{6}) ([0-9a-f]+) (\d)\t([^\0]+)\0 {2}ctime: \d+:\d+\n {2}mtime: (\d+:\d+)\n {2}dev: .*\n {2}uid: .*\n {2}size: (\d+)\tflags: ([0-9a-f]+)\n/g

/**
 * Otherwise git looks for skipped files in the main checkout and treats the ones it finds there as files of the
 * worktree.
 */
const asItStands = ['sparse.expectFilesOutsideOfPatterns=true']

/** The flag in git's index for a file that a sparse checkout leaves out. */
const SKIPPED = 0x40000000

const readable = async (file: string, answer: Promise<string>): Promise<string> => {
  try {
    return await answer
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new Refusal(
      'archive_failed',
      `git cannot read its index ${file} (${error.message.replace(/^git ls-files failed: /, '').replace(/\.$/, '')}); fix it, or delete it together with what is staged only there`,
      {
        cause: error,
      },
    )
  }
}

/** Every file of a commit. */
const listTree = async (root: string, commit: string | null): Promise<readonly Listed[]> => {
  if (commit === null) return []
  const out = await git(root, ['ls-tree', '-r', '-z', '--end-of-options', commit], { timeout: 600_000 })
  return out
    .split('\0')
    .filter(Boolean)
    .map((entry) => {
      const [mode = '', , oid = ''] = entry.slice(0, entry.indexOf('\t')).split(' ')
      return { path: bytesOf(entry.slice(entry.indexOf('\t') + 1)), mode, oid }
    })
}

/** Sorts object names into commits, trees, blobs and names that git does not have. */
const sortObjects = async (
  root: string,
  names: readonly string[],
): Promise<{ commits: string[]; trees: string[]; blobs: string[]; missing: string[] }> => {
  const sorted = { commits: [] as string[], trees: [] as string[], blobs: [] as string[], missing: [] as string[] }
  if (names.length === 0) return sorted
  const out = await git(root, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    input: `${[...new Set(names)].join('\n')}\n`,
    timeout: 600_000,
  })
  for (const line of out.split('\n').filter(Boolean)) {
    const [oid = '', type] = line.split(' ')
    const group = { commit: sorted.commits, tree: sorted.trees, blob: sorted.blobs, missing: sorted.missing }[
      type ?? ''
    ]
    group?.push(oid)
  }
  return sorted
}

/**
 * The smallest subset of these commits that keeps all of them reachable, apart from those that `kept` already reaches.
 */
const headsOf = async (
  root: string,
  commits: readonly string[],
  kept: readonly string[],
): Promise<readonly string[]> => {
  if (commits.length === 0) return []
  const out = await git(root, ['rev-list', '--parents', '--stdin'], {
    input: [...commits, ...kept.map((oid) => `^${oid}`), ''].join('\n'),
    timeout: 600_000,
  })
  const lines = out
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '))
  const parents = new Set(lines.flatMap(([, ...rest]) => rest))
  return lines.map(([oid]) => oid!).filter((oid) => !parents.has(oid))
}

/** Stashes made on one of these branches, or on these commits of a detached HEAD. */
const stashesOf = async (
  root: string,
  branches: readonly string[],
  detachedAt: ReadonlySet<string>,
): Promise<readonly Stash[]> => {
  const out = await git(root, ['for-each-ref', '--format=%(objectname)', 'refs/stash'])
  if (out.trim() === '') return []
  const log = await git(root, [
    'log',
    '--walk-reflogs',
    '-z',
    '--format=%H%x09%P%x09%<(1000,trunc)%gs',
    'refs/stash',
    '--',
  ])
  return log
    .split('\0')
    .filter(Boolean)
    .map((line) => line.split('\t'))
    .filter(([, parents = '', subject = '']) => {
      const on = /^(?:WIP on|On|autostash on) (.+?): /.exec(`${subject} `)?.[1]
      return (
        on !== undefined && (branches.includes(on) || (on === '(no branch)' && detachedAt.has(parents.split(' ')[0]!)))
      )
    })
    .map(([oid = '', , subject = '']) => ({ oid, subject: subject.slice(0, 1000).trim() }))
}
