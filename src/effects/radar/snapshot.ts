import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { holdsSecret, isSecretFile } from '../../domain/words/secrets.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import type { RadarSubject } from '../../operations/worktrees/radar-subjects.ts'
import { type FilePath, stampsOf } from '../files/file-stamps.ts'
import { placeOf } from '../files/git-dir.ts'
import { unlessPiped } from '../git/working-tree.ts'
import { absenceOf } from '../worktrees/admin-files.ts'
import { readHeads, type Tip } from './heads.ts'
import { makeObjects, openScratch, type Scratch, type Where } from './scratch.ts'

/**
 * Takes a snapshot of everything in a worktree that git does not ignore, committed or not, and passes it to `read`, with
 * the commit that is checked out. Its objects are in a folder outside the repository, which is deleted afterwards. The same content has the same commit.
 */
export const withSnapshot = async <T>(
  root: string,
  { name, branchName: branch, path }: Pick<WorktreeView, 'name' | 'branchName' | 'path'>,
  target: string,
  read: (snapshot: Snapshot, head: string) => Promise<T>,
  options: SnapshotOptions = {},
): Promise<T> => {
  const tip = (await readHeads(root, [{ name, branch, path, pushed: null, target }])).worktrees.get(name)
  if (tip === undefined) throw new Refusal('not_found', `The branch ${branch} of ${name} is gone.`)
  const scratch = await openScratch(root)
  try {
    await scratch.refresh()
    return await read(
      await takeSnapshot(scratch, { name, branch, path }, tip, join(scratch.folder, 'present'), options),
      tip.oid,
    )
  } finally {
    scratch.close()
  }
}

/**
 * An edit in place of a file that git has not listed as changed touches neither the index nor a folder, so no
 * fingerprint shows it. In a worktree with a running agent, and after a failed scan, git therefore compares all files
 * after so long anyway (ms); elsewhere such an edit is found with the next commit or `git add`, or by a full scan.
 */
const AGAIN = 10_000

/** The last snapshot of each worktree. */
export class Snapshots {
  readonly #known = new Map<string, { tip: string; taken: Snapshot; at: number; folder: string }>()
  readonly #now: () => number
  #folders = 0

  constructor(now: () => number) {
    this.#now = now
  }

  async of(
    scratch: Scratch,
    subject: RadarSubject,
    tip: { readonly oid: string; readonly tree: string },
    everything: boolean,
  ): Promise<Snapshot> {
    const { name, living, pushed } = subject
    if (pushed !== null) return asPushed(tip)
    const known = this.#known.get(name)
    const due = everything || ((living || known?.taken.failed) && this.#now() - (known?.at ?? 0) >= AGAIN)
    if (known && known.tip === tip.oid && !due && stampsOf(known.taken.watched) === known.taken.print)
      return known.taken
    const folder = join(scratch.folder, `worktree-${this.#folders++}`)
    const taken = await takeSnapshot(scratch, subject, tip, folder)
    this.#known.set(name, { tip: tip.oid, taken, at: this.#now(), folder })
    if (known) rmSync(known.folder, { recursive: true, force: true })
    return taken
  }

  /** Snapshots of other worktrees are deleted. */
  forget(subjects: readonly RadarSubject[]): void {
    const names = new Set(subjects.map(({ name }) => name))
    for (const [name, { folder }] of this.#known) {
      if (names.has(name)) continue
      rmSync(folder, { recursive: true, force: true })
      this.#known.delete(name)
    }
  }
}

/** The content of a worktree: its tip, or a commit on top of it with all uncommitted work. */
export interface Snapshot extends Tip {
  /** The names of uncommitted files, as git lists them (bytes). */
  readonly uncommitted: ReadonlySet<string>
  /** The folder of the objects for uncommitted work; null if there are none. */
  readonly objects: string | null
  /** The part of the worktree that was not read, if any. */
  readonly remark: string | null
  /** The names of files that may not leave this machine. */
  readonly leftOut: LeftOut
  /** Paths whose fingerprint changes with the worktree, and the fingerprint before the files were read. */
  readonly watched: readonly FilePath[]
  readonly print: string
  /** True if it could not be read completely, so that an unchanged fingerprint proves nothing. */
  readonly failed: boolean
}

interface SnapshotOptions {
  /** True if it leaves this machine: then it has no files that seem to be secret, and no long ones, staged or not. */
  readonly leaves?: boolean
}

/**
 * Reads the uncommitted work of a worktree through a private copy of its index; changes nothing in the worktree or its
 * index. `folder` is new and receives the files.
 */
const takeSnapshot = async (
  scratch: Scratch,
  subject: Pick<RadarSubject, 'name' | 'branch' | 'path'>,
  tip: Tip,
  folder: string,
  options: SnapshotOptions = {},
): Promise<Snapshot> => {
  const { path } = subject
  const nothing = { ...nothingIn(tip), watched: [path], print: stampsOf([path]) }
  const absence = absenceOf(scratch.common, subject)
  if (absence !== undefined) return { ...nothing, remark: absence }
  try {
    const gitDir = placeOf(path)?.gitDir
    if (gitDir === undefined || dirname(dirname(gitDir)) !== scratch.common)
      return { ...nothing, remark: 'its folder is no longer a checkout of this repository' }
    return await unlessPiped(path, (signal) => {
      const run: Scratch['run'] = (args, where, options) => scratch.run(args, where, { ...options, signal })
      return read({ ...scratch, run }, { path, gitDir, folder, ...options }, tip)
    })
  } catch (error) {
    // Files appear and disappear while they are read.
    if (!isRefusal(error) && (error as NodeJS.ErrnoException).code === undefined) throw error
    rmSync(folder, { recursive: true, force: true })
    return { ...nothing, remark: `its uncommitted files could not be read: ${(error as Error).message}`, failed: true }
  }
}

const none: LeftOut = { secret: [], long: [] }

/** Of more files no fingerprint is taken. */
const MOST_WATCHED = 500

interface Place extends SnapshotOptions {
  readonly path: string
  readonly gitDir: string
  readonly folder: string
}

const read = async (scratch: Scratch, { path, gitDir, folder, leaves = false }: Place, tip: Tip): Promise<Snapshot> => {
  const index = join(gitDir, 'index')
  const base: FilePath[] = [index, path]
  const basePrint = stampsOf(base)
  const objects = makeObjects(join(folder, 'objects'), [scratch.objects])
  const where = privateIndex(scratch, path, index, tip, folder)
  const entries = await statusOf(scratch, where)
  if (entries.length === 0) {
    rmSync(folder, { recursive: true, force: true })
    return { ...nothingIn(tip), remark: null, watched: base, print: basePrint }
  }
  const leftOut = leaves ? leftOutOf(path, entries) : none
  const stays = new Set([...leftOut.secret, ...leftOut.long])
  if (stays.size > 0) await asCommitted(scratch, where, tip, [...stays])
  const { removed, added, remark } = indexChanges(
    path,
    entries.filter(({ name }) => !stays.has(name)),
  )
  // Taken before the files are read: a change meanwhile is found by the next scan.
  const names = entries.slice(0, MOST_WATCHED).map(({ name }) => name)
  const watched = [
    ...base,
    ...names.map((name) => bytesOf(path, name)),
    ...foldersOf(names).map((name) => bytesOf(path, name)),
  ]
  const print = [basePrint, stampsOf(watched.slice(base.length))].join(' ')
  const inObjects = { ...where, GIT_OBJECT_DIRECTORY: objects }
  const tree = await treeWith(scratch, inObjects, { removed, added })
  if (tree === tip.tree) {
    rmSync(folder, { recursive: true, force: true })
    return { ...nothingIn(tip), leftOut, remark, watched, print }
  }
  const oid = (
    await scratch.run(['commit-tree', tree, '-p', tip.oid, '-m', 'What is not committed yet'], inObjects)
  ).stdout.trim()
  return {
    oid,
    tree,
    uncommitted: new Set(entries.map(({ name }) => name)),
    objects,
    leftOut,
    remark,
    watched,
    print,
    failed: false,
  }
}

/** The content of a worktree of another host: of its files, only what was pushed is known here. */
const asPushed = (tip: Tip): Snapshot => ({ ...nothingIn(tip), remark: null, watched: [], print: '' })

const nothingIn = (tip: Tip) => ({
  ...tip,
  uncommitted: new Set<string>(),
  leftOut: none,
  objects: null,
  failed: false,
})

const foldersOf = (names: readonly string[]): readonly string[] =>
  [...new Set(names.map((name) => dirname(name)))].filter((name) => name !== '.')

/**
 * A git folder for this worktree alone: its tip as HEAD, a copy of its index, and the rest from the scratch repository.
 */
const privateIndex = (scratch: Scratch, path: string, index: string, tip: Tip, folder: string): Where => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'HEAD'), `${tip.oid}\n`)
  writeFileSync(join(folder, 'commondir'), `${scratch.folder}\n`)
  const copy = join(folder, 'index')
  if (existsSync(index)) {
    const { atimeMs, mtimeMs } = statSync(index)
    copyFileSync(index, copy)
    // Git compares file times with the time of the index to find changed files; a later time would hide them.
    utimesSync(copy, atimeMs / 1000, Math.floor(mtimeMs) / 1000)
    // A split index names its shared part.
    for (const name of readdirSync(dirname(index)).filter((name) => name.startsWith('sharedindex.')))
      copyFileSync(join(dirname(index), name), join(folder, name))
  }
  return { GIT_DIR: folder, GIT_WORK_TREE: path, GIT_INDEX_FILE: copy }
}

// `--branch` and `--verbose` make sure that there is output: simple-git waits 50 ms after a command without any.

/** A line of git's status; the name in bytes, one character per byte. */
interface Entry {
  readonly code: string
  readonly name: string
}

/** The lines of git's status, for a worktree whose index is private. */
const statusOf = async (scratch: Scratch, where: Where): Promise<readonly Entry[]> => {
  const { stdout } = await scratch.run(
    [
      'status',
      '--porcelain=v1',
      '--branch',
      '-z',
      '--no-renames',
      '--untracked-files=all',
      '--ignore-submodules=dirty',
    ],
    where,
  )
  return stdout
    .split('\0')
    .filter((entry) => entry !== '' && !entry.startsWith('## '))
    .map((entry) => ({ code: entry.slice(0, 2), name: entry.slice(3) }))
}

/** Has these files in the index as they are in the commit, whatever was staged. */
const asCommitted = async (scratch: Scratch, where: Where, { oid }: Tip, names: readonly string[]): Promise<void> => {
  const input = names.map((name) => `${name}\0`).join('')
  const paths = ['--pathspec-from-file=-', '--pathspec-file-nul']
  await scratch.run(['--literal-pathspecs', 'reset', '--quiet', ...paths, oid], where, { input })
}

/** The tree of the index after these changes to it. */
const treeWith = async (
  scratch: Scratch,
  where: Where,
  { removed, added }: { removed: readonly string[]; added: readonly string[] },
): Promise<string> => {
  const list = (some: readonly string[]): string => some.map((name) => `${name}\0`).join('')
  if (removed.length > 0)
    await scratch.run(['update-index', '--verbose', '-z', '--force-remove', '--stdin'], where, { input: list(removed) })
  if (added.length > 0)
    await scratch.run(['update-index', '--verbose', '--add', '--remove', '--replace', '-z', '--stdin'], where, {
      input: list(added),
    })
  return (await scratch.run(['write-tree'], where)).stdout.trim()
}

/** Longer files are left out (bytes): agents leave build output around, and each file would be copied. */
const LONG = 8 * 1024 * 1024

/** More untracked files are left out. */
const MOST_UNTRACKED = 2000

/** The changes to the index, from git's status and the files in the folder. */
const indexChanges = (path: string, entries: readonly Entry[]) => {
  const [removed, added]: [string[], string[]] = [[], []]
  const left = { long: 0, unreadable: 0, untracked: 0 }
  let untracked = 0
  for (const { code, name } of entries) {
    const stat = code[1] === 'D' ? undefined : lstatOf(bytesOf(path, name))
    if (code === '??' && (stat === undefined || name.endsWith('/'))) continue
    if (code === '??' && ++untracked > MOST_UNTRACKED) left.untracked++
    else if (code[1] === ' ') continue
    else if (stat === undefined) removed.push(name)
    else if (stat.isFile() && stat.size > LONG) left.long++
    else if (
      !(stat.isFile() || stat.isSymbolicLink() || stat.isDirectory()) ||
      (stat.isFile() && !isReadable(bytesOf(path, name)))
    )
      left.unreadable++
    else added.push(name)
  }
  const remarks = [
    ...(left.long > 0 ? [`${left.long} larger than 8 MB`] : []),
    ...(left.unreadable > 0 ? [`${left.unreadable} that cannot be read`] : []),
    ...(left.untracked > 0 ? [`${left.untracked} more untracked`] : []),
  ]
  return { removed, added, remark: remarks.length === 0 ? null : `files not compared: ${remarks.join(', ')}` }
}

/** The names of files that stay on this machine: those that seem to contain secrets, and those that are too long. */
interface LeftOut {
  readonly secret: readonly string[]
  readonly long: readonly string[]
}

/** Of these entries, in the folder or staged. One that cannot be read is not trusted. */
const leftOutOf = (path: string, entries: readonly Entry[]): LeftOut => {
  const names = entries.map(({ name }) => name)
  const secret = names.filter((name) => isSecret(path, name))
  return { secret, long: names.filter((name) => !secret.includes(name) && isLong(bytesOf(path, name))) }
}

const isLong = (file: FilePath): boolean => {
  const stat = lstatOf(file)
  return stat !== undefined && stat.isFile() && stat.size > LONG
}

const isSecret = (path: string, name: string): boolean => {
  if (isSecretFile(name)) return true
  const file = bytesOf(path, name)
  const stat = lstatOf(file)
  // Long files are left out anyway, other rules leave out folders, and a deletion has no content.
  if (stat === undefined || !stat.isFile() || stat.size > LONG) return false
  try {
    return holdsSecret(readFileSync(file, 'latin1'))
  } catch {
    return true
  }
}

const lstatOf = (path: FilePath): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const isReadable = (path: FilePath): boolean => {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** The path of a file from git's name in bytes. */
const bytesOf = (path: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name, 'latin1')])
