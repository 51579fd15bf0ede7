import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Refusal } from '../domain/refusal.ts'
import { isWithin } from '../domain/worktree.ts'

// How every memory standard touches files (MEMORIES, rules for all four): whole and durable writes, no link is followed,
// nothing but plain files inside the repository is read or written.

/** Files above this are not memories; reading one would stop everything else (bytes). */
export const LARGEST = 1 << 20

export interface MemoryFile {
  readonly bytes: Uint8Array
  /** When its content last changed, in milliseconds of the file system's clock. */
  readonly changedAt: number
}

/** The file's bytes; undefined where there is none. Refuses links, pipes, folders and files above `largest` bytes. */
export const readMemoryFile = (path: string, largest = LARGEST): MemoryFile | undefined => {
  const file = openPlain(path)
  if (file === undefined) return undefined
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw new Refusal('file_unreadable', `${path} is no plain file; remove it.`)
    if (stat.size > largest) throw new Refusal('file_unreadable', `${path} has ${Math.ceil(stat.size / LARGEST)} MB, and at most ${readable(largest)} read; shorten it.`)
    const bytes = Buffer.alloc(stat.size)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) read = readSync(file, bytes, length, bytes.length - length, null)
    return { bytes: bytes.subarray(0, length), changedAt: stat.mtimeMs }
  } finally {
    closeSync(file)
  }
}

const readable = (bytes: number): string => `${bytes / LARGEST} MB ${bytes === LARGEST ? 'is' : 'are'}`

/** Non-blocking, so that a pipe cannot hold us up; without following a link. */
const openPlain = (path: string): number | undefined => {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const refused = whyNotOpened(path, error)
    if (refused === undefined) return undefined
    throw refused
  }
}

/** Writes a file whole: readers, and whoever comes after a crash, see the old one or the new one. Refuses to write over anything but a plain file. */
export const writeMemoryFile = (path: string, text: string): void => {
  const known = entryAt(path)
  if (known && !known.isFile()) throw new Refusal('not_writable', `${path} is no plain file, so nothing is written there; remove it.`)
  const draft = writeDraft(path, text)
  try {
    renameSync(draft, path)
    syncFolder(dirname(path))
  } catch (error) {
    rmSync(draft, { force: true })
    throw notWritable(path, error)
  }
}

/** Where a file is written before it has its name. */
export const draftPath = (path: string): string => join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)

/** Removes the drafts in a folder that were last written to before an instant (ms): whoever was writing them was killed. */
export const removeLostDrafts = (folder: string, before: number): void => {
  for (const name of readdirSync(folder)) {
    if (!/^\..+\.[0-9a-f]{12}\.tmp$/.test(name)) continue
    const draft = join(folder, name)
    const stat = entryAt(draft)
    if (stat?.isFile() && stat.mtimeMs < before) rmSync(draft, { force: true })
  }
}

/** Everything of a new file but its name: a draft beside it, durably written. Gives its path. */
export const writeDraft = (path: string, text: string): string => {
  const draft = draftPath(path)
  try {
    const file = openSync(draft, 'wx', 0o644)
    try {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    rmSync(draft, { force: true })
    throw notWritable(path, error)
  }
  return draft
}

export const deleteMemoryFile = (path: string): void => {
  try {
    rmSync(path)
    syncFolder(dirname(path))
  } catch (error) {
    throw notWritable(path, error)
  }
}

/** What stands at a path, of a link the link itself; undefined where nothing does. */
export const entryAt = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** Names of the plain files in a folder; none where the folder is missing. */
export const listMemoryFiles = (folder: string): readonly string[] => namesIn(folder, (entry) => entry.isFile())

/** As `listMemoryFiles`, with links, pipes and folders, which are refused where they are read. */
export const listMemoryNames = (folder: string): readonly string[] => namesIn(folder, () => true)

const namesIn = (folder: string, wanted: (entry: Dirent) => boolean): readonly string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => wanted(entry) && !entry.name.startsWith('.'))
      .map((entry) => entry.name)
      .sort()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw unreadable(folder, error)
  }
}

/** Makes a folder inside `root` and gives its real path. Refuses where a link leads out of `root`, and makes nothing there then. */
export const ensureMemoryFolder = (root: string, folder: string): string => {
  const path = join(root, folder)
  try {
    refuseOutside(root, path)
    mkdirSync(path, { recursive: true })
    refuseOutside(root, path)
    return realpathSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOTDIR') throw new Refusal('not_writable', `${path} is no folder; remove it.`, { cause: error })
    throw notWritable(path, error)
  }
}

/** Of a folder that is not there yet, the nearest above it counts. */
const refuseOutside = (root: string, path: string): void => {
  if (!isWithin(nearestReal(path), nearestReal(root))) throw new Refusal('outside_worktree', `${path} leads out of the repository, so no memory is kept there.`)
}

const nearestReal = (path: string): string => {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path === dirname(path)) throw error
    return nearestReal(dirname(path))
  }
}

/** Makes the names in a folder durable. */
export const syncFolder = (folder: string): void => {
  const handle = openSync(folder, constants.O_RDONLY)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Why a file could not be opened without following a link; undefined where there is none. */
export const whyNotOpened = (path: string, error: unknown): Refusal | undefined => {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  if (code !== 'ELOOP' && code !== 'EMLINK') return unreadable(path, error)
  return new Refusal('file_unreadable', `${path} is a symbolic link, which is not followed; put the file itself there.`, { cause: error })
}

const unreadable = (path: string, error: unknown): Refusal => new Refusal('file_unreadable', `${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, { cause: error })

export const notWritable = (path: string, error: unknown): unknown => {
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined || error instanceof Refusal) return error
  if (code === 'ENOSPC') return new Refusal('not_writable', `The disk is full, so ${path} was left as it was; make room.`, { cause: error })
  return new Refusal('not_writable', `${path} cannot be written (${code}).`, { cause: error })
}
