import { accessSync, constants, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, type Stats, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRefusal } from '../../domain/refusal.ts'
import { placeOf } from '../git-place.ts'
import { unlessPiped } from '../pipes.ts'
import type { RadarSubject } from '../../operations/read-radar-subjects.ts'
import { absenceOf } from '../worktree-problems.ts'
import type { Tip } from './heads.ts'
import { type FilePath, printOf } from './prints.ts'
import { makeObjects, type Scratch, type Where } from './scratch.ts'

/** What a worktree holds: its tip, or a commit above it of all that is not committed yet. */
export interface Snapshot extends Tip {
  /** Names of files that are not committed, by which git knows them (bytes). */
  readonly uncommitted: ReadonlySet<string>
  /** Where the objects of the uncommitted lie; null where there are none. */
  readonly objects: string | null
  /** What of the worktree was not looked at, if anything. */
  readonly remark: string | null
  /** Paths whose fingerprint tells that it has changed, and what it was before the files were read. */
  readonly watched: readonly FilePath[]
  readonly print: string
  /** It could not be read to its end, so that a fingerprint that stays tells nothing. */
  readonly failed: boolean
}

/** Longer files are not taken in (bytes): agents leave builds lying about, and each would be copied. */
const LONG = 8 * 1024 * 1024

/** More untracked files than these are not taken in, and of more files than `watched` the fingerprint is not taken. */
const MOST = { untracked: 2000, watched: 500 } as const

/**
 * Reads the uncommitted work of a worktree through a private copy of its index; nothing in the worktree or its index
 * changes. `folder` is new and holds what is made.
 */
export const takeSnapshot = async (scratch: Scratch, subject: Pick<RadarSubject, 'name' | 'branch' | 'path'>, tip: Tip, folder: string): Promise<Snapshot> => {
  const { path } = subject
  const nothing = { ...nothingIn(tip), watched: [path], print: printOf([path]) }
  const absence = absenceOf(scratch.common, subject)
  if (absence !== undefined) return { ...nothing, remark: absence }
  try {
    const gitDir = placeOf(path)?.gitDir
    if (gitDir === undefined || dirname(dirname(gitDir)) !== scratch.common) return { ...nothing, remark: 'its folder is no checkout of this repository any more' }
    return await unlessPiped(path, (signal) => {
      const run: Scratch['run'] = (args, where, options) => scratch.run(args, where, { ...options, signal })
      return read({ ...scratch, run }, path, gitDir, tip, folder)
    })
  } catch (error) {
    // Files come and go while they are read.
    if (!isRefusal(error) && (error as NodeJS.ErrnoException).code === undefined) throw error
    rmSync(folder, { recursive: true, force: true })
    return { ...nothing, remark: `its uncommitted files could not be read: ${(error as Error).message}`, failed: true }
  }
}

const read = async (scratch: Scratch, path: string, gitDir: string, tip: Tip, folder: string): Promise<Snapshot> => {
  const index = join(gitDir, 'index')
  const base: FilePath[] = [index, path]
  const basePrint = printOf(base)
  const objects = makeObjects(join(folder, 'objects'), [scratch.objects])
  const where = prepare(scratch, path, index, tip, folder)
  // With `--branch` here and `--verbose` below something is always printed: simple-git waits 50 ms behind a silent command.
  const { stdout } = await scratch.run(['status', '--porcelain=v1', '--branch', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=dirty'], where)
  const entries = stdout
    .split('\0')
    .filter((entry) => entry !== '' && !entry.startsWith('## '))
    .map((entry) => ({ code: entry.slice(0, 2), name: entry.slice(3) }))
  if (entries.length === 0) {
    rmSync(folder, { recursive: true, force: true })
    return { ...nothingIn(tip), remark: null, watched: base, print: basePrint }
  }
  const { removed, added, remark } = sorted(path, entries)
  // Before the files are read: what changes meanwhile is seen the next time.
  const names = entries.slice(0, MOST.watched).map(({ name }) => name)
  const watched = [...base, ...names.map((name) => bytesOf(path, name)), ...foldersOf(names).map((name) => bytesOf(path, name))]
  const print = [basePrint, printOf(watched.slice(base.length))].join(' ')
  const list = (some: readonly string[]): string => some.map((name) => `${name}\0`).join('')
  const inObjects = { ...where, GIT_OBJECT_DIRECTORY: objects }
  if (removed.length > 0) await scratch.run(['update-index', '--verbose', '-z', '--force-remove', '--stdin'], inObjects, { input: list(removed) })
  if (added.length > 0) await scratch.run(['update-index', '--verbose', '--add', '--remove', '--replace', '-z', '--stdin'], inObjects, { input: list(added) })
  const tree = (await scratch.run(['write-tree'], inObjects)).stdout.trim()
  if (tree === tip.tree) {
    rmSync(folder, { recursive: true, force: true })
    return { ...nothingIn(tip), remark, watched, print }
  }
  const oid = (await scratch.run(['commit-tree', tree, '-p', tip.oid, '-m', 'What is not committed yet'], inObjects)).stdout.trim()
  return { oid, tree, uncommitted: new Set(entries.map(({ name }) => name)), objects, remark, watched, print, failed: false }
}

const nothingIn = (tip: Tip) => ({ ...tip, uncommitted: new Set<string>(), objects: null, failed: false })

/** A git folder for this worktree alone: its tip for HEAD, a copy of its index, and all the rest from the scratch repository. */
const prepare = (scratch: Scratch, path: string, index: string, tip: Tip, folder: string): Where => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'HEAD'), `${tip.oid}\n`)
  writeFileSync(join(folder, 'commondir'), `${scratch.folder}\n`)
  const copy = join(folder, 'index')
  if (existsSync(index)) {
    const { atimeMs, mtimeMs } = statSync(index)
    copyFileSync(index, copy)
    // By the time of the index git knows which files may have changed after it; a later one would hide them.
    utimesSync(copy, atimeMs / 1000, Math.floor(mtimeMs) / 1000)
    // An index that was split names its other half.
    for (const name of readdirSync(dirname(index)).filter((name) => name.startsWith('sharedindex.'))) copyFileSync(join(dirname(index), name), join(folder, name))
  }
  return { GIT_DIR: folder, GIT_WORK_TREE: path, GIT_INDEX_FILE: copy }
}

/** What has to leave the index and what has to enter it, by what git's status says and what lies in the folder now. */
const sorted = (path: string, entries: readonly { code: string; name: string }[]) => {
  const [removed, added]: [string[], string[]] = [[], []]
  const left = { long: 0, unreadable: 0, untracked: 0 }
  let untracked = 0
  for (const { code, name } of entries) {
    const stat = code[1] === 'D' ? undefined : lstatOf(bytesOf(path, name))
    if (code === '??' && (stat === undefined || name.endsWith('/'))) continue
    if (code === '??' && ++untracked > MOST.untracked) left.untracked++
    else if (code[1] === ' ') continue
    else if (stat === undefined) removed.push(name)
    else if (stat.isFile() && stat.size > LONG) left.long++
    else if (!(stat.isFile() || stat.isSymbolicLink() || stat.isDirectory()) || (stat.isFile() && !isReadable(bytesOf(path, name)))) left.unreadable++
    else added.push(name)
  }
  const remarks = [
    ...(left.long > 0 ? [`${left.long} longer than 8 MB`] : []),
    ...(left.unreadable > 0 ? [`${left.unreadable} that cannot be read`] : []),
    ...(left.untracked > 0 ? [`${left.untracked} more untracked`] : []),
  ]
  return { removed, added, remark: remarks.length === 0 ? null : `not looked at: files ${remarks.join(', ')}` }
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

const foldersOf = (names: readonly string[]): readonly string[] => [...new Set(names.map((name) => dirname(name)))].filter((name) => name !== '.')

/** The path of a file that git named by its bytes. */
const bytesOf = (path: string, name: string): Buffer => Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name, 'latin1')])
