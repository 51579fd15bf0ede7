import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  type Dirent,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Refusal } from '../domain/rules/refusal.ts'
import { isWithin } from '../domain/worktree/worktree.ts'

// The file system below the memory files: entries and folders that are not links, drafts that are renamed, and
// refusals.

/** The entry at a path without following a link; undefined if there is none. */
export const entryAt = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** Names of the regular files in a folder; empty if the folder is missing. */
export const listMemoryFiles = (folder: string): readonly string[] => namesIn(folder, (entry) => entry.isFile())

/** As `listMemoryFiles`, including links, pipes and folders, which reading refuses. */
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

/**
 * Creates a folder inside `root` and returns its real path. Refuses, without creating anything, if a link leads out of
 * `root`.
 */
export const ensureMemoryFolder = (root: string, folder: string): string => {
  const path = join(root, folder)
  try {
    refuseOutside(root, path)
    mkdirSync(path, { recursive: true })
    refuseOutside(root, path)
    return realpathSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new Refusal('not_writable', `${path} is not a folder; remove it.`, { cause: error })
    throw notWritable(path, error)
  }
}

/** Checks the nearest existing ancestor of a missing folder. */
const refuseOutside = (root: string, path: string): void => {
  if (!isWithin(nearestReal(path), nearestReal(root)))
    throw new Refusal('outside_worktree', `${path} leads out of the repository, so no memory is stored there.`)
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

/** The path of a file's draft before it is renamed. */
export const draftPath = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)

/** Writes a new file durably under a draft name beside it, and returns the draft's path. */
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

/** Deletes drafts in a folder that were last written before an instant (ms), whose writers were killed. */
export const removeLostDrafts = (folder: string, before: number): void => {
  for (const name of readdirSync(folder)) {
    if (!/^\..+\.[0-9a-f]{12}\.tmp$/.test(name)) continue
    const draft = join(folder, name)
    const stat = entryAt(draft)
    if (stat?.isFile() && stat.mtimeMs < before) rmSync(draft, { force: true })
  }
}

/** The refusal for a file that could not be opened without following a link; undefined if there is no file. */
export const whyNotOpened = (path: string, error: unknown): Refusal | undefined => {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  if (code !== 'ELOOP' && code !== 'EMLINK') return unreadable(path, error)
  return new Refusal(
    'file_unreadable',
    `${path} is a symbolic link, which is not followed; replace it with the file.`,
    { cause: error },
  )
}

const unreadable = (path: string, error: unknown): Refusal =>
  new Refusal('file_unreadable', `${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, { cause: error })

export const notWritable = (path: string, error: unknown): unknown => {
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined || error instanceof Refusal) return error
  if (code === 'ENOSPC')
    return new Refusal('not_writable', `The disk is full, so ${path} was not changed; make room.`, { cause: error })
  return new Refusal('not_writable', `${path} cannot be written (${code}).`, { cause: error })
}
