import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { placeOf } from '../files/git-dir.ts'
import { unlessPiped } from '../git/working-tree.ts'
import type { RadarSubject } from '../../operations/worktrees/radar-subjects.ts'
import { absenceOf } from '../worktrees/admin-files.ts'
import type { Tip } from './heads.ts'
import { type FilePath, stampsOf } from '../files/file-stamps.ts'
import { makeObjects, type Scratch } from './scratch.ts'
import { asCommitted, privateIndex, statusOf, treeWith } from './private-index.ts'
import { bytesOf, indexChanges, type LeftOut, leftOutOf } from './uncommitted.ts'

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

export interface SnapshotOptions {
  /** True if it leaves this machine: then it has no files that seem to be secret, and no long ones, staged or not. */
  readonly leaves?: boolean
}

const none: LeftOut = { secret: [], long: [] }

/** Of more files no fingerprint is taken. */
const MOST_WATCHED = 500

/**
 * Reads the uncommitted work of a worktree through a private copy of its index; changes nothing in the worktree or its
 * index. `folder` is new and receives the files.
 */
export const takeSnapshot = async (
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
export const asPushed = (tip: Tip): Snapshot => ({ ...nothingIn(tip), remark: null, watched: [], print: '' })

const nothingIn = (tip: Tip) => ({
  ...tip,
  uncommitted: new Set<string>(),
  leftOut: none,
  objects: null,
  failed: false,
})

const foldersOf = (names: readonly string[]): readonly string[] =>
  [...new Set(names.map((name) => dirname(name)))].filter((name) => name !== '.')
