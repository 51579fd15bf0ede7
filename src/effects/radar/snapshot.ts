import { accessSync, constants, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, type Stats, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { placeOf } from '../files/git-place.ts'
import { unlessPiped } from '../processes/pipes.ts'
import type { RadarSubject } from '../../operations/loops/read-radar-subjects.ts'
import { absenceOf } from '../worktrees/problems.ts'
import type { Tip } from './heads.ts'
import { type FilePath, stampsOf } from './file-stamps.ts'
import { makeObjects, type Scratch, type Where } from './scratch.ts'

/** The content of a worktree: its tip, or a commit on top of it with all uncommitted work. */
export interface Snapshot extends Tip {
  /** The names of uncommitted files, as git lists them (bytes). */
  readonly uncommitted: ReadonlySet<string>
  /** The folder of the objects for uncommitted work; null if there are none. */
  readonly objects: string | null
  /** The part of the worktree that was not read, if any. */
  readonly remark: string | null
  /** Paths whose fingerprint changes with the worktree, and the fingerprint before the files were read. */
  readonly watched: readonly FilePath[]
  readonly print: string
  /** True if it could not be read completely, so that an unchanged fingerprint proves nothing. */
  readonly failed: boolean
}

/** Longer files are left out (bytes): agents leave build output around, and each file would be copied. */
const LONG = 8 * 1024 * 1024

/** More untracked files are left out, and of more files than `watched` no fingerprint is taken. */
const MOST = { untracked: 2000, watched: 500 } as const

/**
 * Reads the uncommitted work of a worktree through a private copy of its index; changes nothing in the worktree or its
 * index. `folder` is new and receives the files.
 */
export const takeSnapshot = async (scratch: Scratch, subject: Pick<RadarSubject, 'name' | 'branch' | 'path'>, tip: Tip, folder: string): Promise<Snapshot> => {
  const { path } = subject
  const nothing = { ...nothingIn(tip), watched: [path], print: stampsOf([path]) }
  const absence = absenceOf(scratch.common, subject)
  if (absence !== undefined) return { ...nothing, remark: absence }
  try {
    const gitDir = placeOf(path)?.gitDir
    if (gitDir === undefined || dirname(dirname(gitDir)) !== scratch.common) return { ...nothing, remark: 'its folder is no longer a checkout of this repository' }
    return await unlessPiped(path, (signal) => {
      const run: Scratch['run'] = (args, where, options) => scratch.run(args, where, { ...options, signal })
      return read({ ...scratch, run }, path, gitDir, tip, folder)
    })
  } catch (error) {
    // Files appear and disappear while they are read.
    if (!isRefusal(error) && (error as NodeJS.ErrnoException).code === undefined) throw error
    rmSync(folder, { recursive: true, force: true })
    return { ...nothing, remark: `its uncommitted files could not be read: ${(error as Error).message}`, failed: true }
  }
}

const read = async (scratch: Scratch, path: string, gitDir: string, tip: Tip, folder: string): Promise<Snapshot> => {
  const index = join(gitDir, 'index')
  const base: FilePath[] = [index, path]
  const basePrint = stampsOf(base)
  const objects = makeObjects(join(folder, 'objects'), [scratch.objects])
  const where = prepare(scratch, path, index, tip, folder)
  // `--branch` here and `--verbose` below make sure that there is output: simple-git waits 50 ms after a command
  // without any.
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
  // Taken before the files are read: a change meanwhile is found by the next scan.
  const names = entries.slice(0, MOST.watched).map(({ name }) => name)
  const watched = [...base, ...names.map((name) => bytesOf(path, name)), ...foldersOf(names).map((name) => bytesOf(path, name))]
  const print = [basePrint, stampsOf(watched.slice(base.length))].join(' ')
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

/**
 * A git folder for this worktree alone: its tip as HEAD, a copy of its index, and the rest from the scratch repository.
 */
const prepare = (scratch: Scratch, path: string, index: string, tip: Tip, folder: string): Where => {
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
    for (const name of readdirSync(dirname(index)).filter((name) => name.startsWith('sharedindex.'))) copyFileSync(join(dirname(index), name), join(folder, name))
  }
  return { GIT_DIR: folder, GIT_WORK_TREE: path, GIT_INDEX_FILE: copy }
}

/** The changes to the index, from git's status and the files in the folder. */
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
    ...(left.long > 0 ? [`${left.long} larger than 8 MB`] : []),
    ...(left.unreadable > 0 ? [`${left.unreadable} that cannot be read`] : []),
    ...(left.untracked > 0 ? [`${left.untracked} more untracked`] : []),
  ]
  return { removed, added, remark: remarks.length === 0 ? null : `files not compared: ${remarks.join(', ')}` }
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

/** The path of a file from git's name in bytes. */
const bytesOf = (path: string, name: string): Buffer => Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name, 'latin1')])
