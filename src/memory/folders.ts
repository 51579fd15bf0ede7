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
  type Stats,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Refusal } from '../domain/rules/refusal.ts'
import { isWithin } from '../domain/worktree/worktree.ts'
import { notWritable, unreadable } from './file-errors.ts'

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
