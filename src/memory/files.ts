import { closeSync, constants, fstatSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Refusal } from '../domain/rules/refusal.ts'
import { entryAt, notWritable, syncFolder, whyNotOpened, writeDraft } from './file-system.ts'

// File access of every memory standard (rules for all four): writes are atomic and durable, links are never followed,
// and only regular files inside the repository are read or written.

/** The largest memory file (bytes); reading a larger one would block everything else. */
export const LARGEST = 1 << 20

export interface MemoryFile {
  readonly bytes: Uint8Array
  /** When its content last changed, in milliseconds of the file system's clock. */
  readonly changedAt: number
}

/** The bytes of a file; undefined if there is none. Refuses links, pipes, folders and files above `largest` bytes. */
export const readMemoryFile = (path: string, largest = LARGEST): MemoryFile | undefined => {
  const file = openPlain(path)
  if (file === undefined) return undefined
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw new Refusal('file_unreadable', `${path} is not a regular file; remove it.`)
    if (stat.size > largest)
      throw new Refusal(
        'file_unreadable',
        `${path} has ${Math.ceil(stat.size / LARGEST)} MB, and at most ${readable(largest)} read; shorten it.`,
      )
    const bytes = Buffer.alloc(stat.size)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null)
    return { bytes: bytes.subarray(0, length), changedAt: stat.mtimeMs }
  } finally {
    closeSync(file)
  }
}

const readable = (bytes: number): string => `${bytes / LARGEST} MB ${bytes === LARGEST ? 'is' : 'are'}`

/** Opens without blocking on a pipe and without following a link. */
const openPlain = (path: string): number | undefined => {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const refused = whyNotOpened(path, error)
    if (refused === undefined) return undefined
    throw refused
  }
}

/**
 * Writes a file atomically: readers see the old one or the new one, also after a crash. Refuses to replace anything but
 * a regular file.
 */
export const writeMemoryFile = (path: string, text: string): void => {
  const known = entryAt(path)
  if (known && !known.isFile())
    throw new Refusal('not_writable', `${path} is not a regular file, so nothing is written there; remove it.`)
  const draft = writeDraft(path, text)
  try {
    renameSync(draft, path)
    syncFolder(dirname(path))
  } catch (error) {
    rmSync(draft, { force: true })
    throw notWritable(path, error)
  }
}

export const deleteMemoryFile = (path: string): void => {
  try {
    rmSync(path)
    syncFolder(dirname(path))
  } catch (error) {
    throw notWritable(path, error)
  }
}
