import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Instant } from '../../domain/words/time.ts'
import { decodeText } from '../decode.ts'
import { ensureMemoryFolder, entryAt, listMemoryNames, notWritable } from '../file-system.ts'
import { LARGEST, readMemoryFile, writeMemoryFile } from '../files.ts'
import { isFormatError } from '../format-error.ts'
import { emptyLedger, type Ledger, parseLedger, renderLedger } from './ledger.ts'
import { places } from './names.ts'

/** The project memory of a repository. Paths are relative to its root, with slashes. */
export interface ProjectPlace {
  readonly root: string
  /** Runs `work` while no other process holds the same lock. */
  readonly lock: <T>(path: string, work: () => T) => T
  readonly clock: () => Instant
  /** The topics of each owning agent (`memory.owners`). */
  readonly owners: Readonly<Record<string, readonly string[]>>
}

/** Files that are only appended to may be larger (bytes). */
const LARGEST_LOG = 64 * LARGEST

const grows = (path: string): boolean => path === places.timeline || path.endsWith('.jsonl')

/** Holds the lock; every write happens in here. */
export const alone = <T>(place: ProjectPlace, work: () => T): T => {
  refuseLinks(place, places.sessions)
  ensureMemoryFolder(place.root, places.sessions)
  return place.lock(join(place.root, places.lock), work)
}

export const bytesOf = (place: ProjectPlace, path: string): Uint8Array | undefined => fileAt(place, path)?.bytes

export const changedAt = (place: ProjectPlace, path: string): number | undefined => fileAt(place, path)?.changedAt

/**
 * The text of a file with LF line endings; undefined if there is none. Refuses files that are not text, with file and
 * line.
 */
export const textAt = (place: ProjectPlace, path: string): string | undefined => {
  const bytes = bytesOf(place, path)
  return bytes && named(() => decodeText(bytes, path, LARGEST_LOG))
}

/** A file parsed by its format; undefined if there is none. */
export const readAt = <T>(
  place: ProjectPlace,
  path: string,
  parse: (text: string, file: string) => T,
): T | undefined => {
  const text = textAt(place, path)
  return text === undefined ? undefined : named(() => parse(text, path))
}

/** The paths of all entries in a folder; empty if it is missing. Reading refuses links, pipes and folders. */
export const filesIn = (place: ProjectPlace, folder: string): readonly string[] => {
  refuseLinks(place, folder)
  return listMemoryNames(join(place.root, folder)).map((name) => `${folder}/${name}`)
}

/** Names of the folders in a folder, without links. */
export const foldersIn = (place: ProjectPlace, folder: string): readonly string[] => {
  refuseLinks(place, folder)
  const path = join(place.root, folder)
  return listMemoryNames(path).filter((name) => entryAt(join(path, name))?.isDirectory() === true)
}

/** True if there is any entry, also a dangling link. */
export const isThere = (place: ProjectPlace, path: string): boolean => entryAt(join(place.root, path)) !== undefined

export const writeAt = (place: ProjectPlace, path: string, text: string): void => {
  if (Buffer.byteLength(text) > (grows(path) ? LARGEST_LOG : LARGEST))
    throw new Refusal('invalid_input', `${path} would have more than 1 MB; write less.`)
  makeFolder(place, dirname(path))
  writeMemoryFile(join(place.root, path), text)
}

/** As `writeAt`, for a file that a person may have created: keeps its byte order mark and its line endings. */
export const rewriteAt = (place: ProjectPlace, path: string, text: string): void =>
  writeAt(place, path, inFormOf(bytesOf(place, path), text))

/** Converts a text with LF line endings to the byte order mark and the line endings of an existing file. */
export const inFormOf = (before: Uint8Array | undefined, text: string): string => {
  const known = Buffer.from(before ?? []).toString('latin1')
  const windows = known.includes('\r\n') && !/(?:^|[^\r])\n/.test(known)
  return (known.startsWith('\u00ef\u00bb\u00bf') ? '\ufeff' : '') + (windows ? text.replaceAll('\n', '\r\n') : text)
}

export const appendAt = (place: ProjectPlace, path: string, text: string): void => {
  makeFolder(place, dirname(path))
  appendToFile(join(place.root, path), text, LARGEST_LOG)
}

export const makeFolder = (place: ProjectPlace, folder: string): void => {
  refuseLinks(place, folder)
  ensureMemoryFolder(place.root, folder)
}

export const readLedger = (place: ProjectPlace): Ledger => readAt(place, places.ledger, parseLedger) ?? emptyLedger

export const writeLedger = (place: ProjectPlace, ledger: Ledger): void =>
  writeAt(place, places.ledger, renderLedger(ledger))

/** Converts a format error to a refusal with the same message. */
export const named = <T>(read: () => T): T => {
  try {
    return read()
  } catch (error) {
    if (isFormatError(error)) throw new Refusal('file_unreadable', error.message, { cause: error })
    throw error
  }
}

const fileAt = (place: ProjectPlace, path: string) => {
  refuseLinks(place, dirname(path))
  return readMemoryFile(join(place.root, path), grows(path) ? LARGEST_LOG : LARGEST)
}

/**
 * Refuses a link among the parent folders, which may lead out of the repository, where created folders would remain.
 */
const refuseLinks = ({ root }: ProjectPlace, folder: string): void => {
  const parts = folder.split('/')
  for (let length = 1; length <= parts.length; length++) {
    const path = join(root, ...parts.slice(0, length))
    const stat = entryAt(path)
    if (!stat) return
    if (stat.isSymbolicLink())
      throw new Refusal(
        'outside_worktree',
        `${path} is a symbolic link, which is not followed; replace it with the folder.`,
      )
    if (!stat.isDirectory()) throw new Refusal('file_unreadable', `${path} is not a folder; remove it.`)
  }
}

/**
 * Appends a text to a file in one write, which a crash leaves undone or done; completes the file's last line first if
 * it lacks its line break. Creates a missing file. Refuses links, pipes, folders and a result above `largest` bytes,
 * which no reader accepts; a full disk leaves the file unchanged.
 */
const appendToFile = (path: string, text: string, largest: number): void => {
  const file = openToAppend(path)
  try {
    const stat = fstatSync(file)
    if (!stat.isFile())
      throw new Refusal('not_writable', `${path} is not a regular file, so nothing is written there; remove it.`)
    const bytes = Buffer.from(stat.size > 0 && !endsLine(file, stat.size) ? `\n${text}` : text)
    if (stat.size + bytes.length > largest)
      throw new Refusal(
        'not_writable',
        `${path} would have more than ${largest >> 20} MB, so nothing was added; move it away.`,
      )
    try {
      if (writeSync(file, bytes) !== bytes.length) throw Object.assign(new Error('short write'), { code: 'ENOSPC' })
      fsyncSync(file)
    } catch (error) {
      ftruncateSync(file, stat.size)
      throw error
    }
    if (stat.size === 0) syncFolderOf(path)
  } catch (error) {
    throw refusalOf(path, error)
  } finally {
    closeSync(file)
  }
}

/** Opens without blocking on a pipe and without following a link. */
const openToAppend = (path: string): number => {
  try {
    return openSync(
      path,
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      0o644,
    )
  } catch (error) {
    throw refusalOf(path, error)
  }
}

const endsLine = (file: number, size: number): boolean => {
  const last = Buffer.alloc(1)
  readSync(file, last, 0, 1, size - 1)
  return last[0] === 0x0a
}

const syncFolderOf = (path: string): void => {
  const folder = openSync(dirname(path), constants.O_RDONLY)
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const refusalOf = (path: string, error: unknown): unknown => {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof Refusal || code === undefined) return error
  if (code === 'ELOOP' || code === 'EMLINK')
    return new Refusal('not_writable', `${path} is a symbolic link, which is not followed; replace it with the file.`, {
      cause: error,
    })
  if (code === 'ENOSPC')
    return new Refusal('not_writable', `The disk is full, so ${path} was not changed; make room.`, { cause: error })
  return new Refusal('not_writable', `${path} cannot be written (${code}).`, { cause: error })
}

// Replaced files are kept below `.claude/sessions/archive`, byte for byte.

/** Copies a file as it is now and returns the path of the copy. */
export const archiveCopy = (place: ProjectPlace, path: string): string => {
  const target = freeName(place, path)
  try {
    copyFileSync(join(place.root, path), join(place.root, target), constants.COPYFILE_EXCL)
    sync(join(place.root, target))
    sync(join(place.root, places.archive))
  } catch (error) {
    // An incomplete copy is deleted.
    rmSync(join(place.root, target), { force: true })
    throw notWritable(target, error)
  }
  return target
}

/** Moves a file in one step and returns its new path. */
export const archiveMove = (place: ProjectPlace, path: string): string => {
  const target = freeName(place, path)
  try {
    renameSync(join(place.root, path), join(place.root, target))
    sync(join(place.root, places.archive))
    sync(dirname(join(place.root, path)))
  } catch (error) {
    throw notWritable(path, error)
  }
  return target
}

/** `working-0.1-20260130T142230.000Z.jsonl`; the lock keeps other processes from using the name. */
const freeName = (place: ProjectPlace, path: string): string => {
  makeFolder(place, places.archive)
  const ending = extname(path)
  const stem = `${places.archive}/${basename(path, ending)}-${place.clock().replace(/[-:]/g, '')}`
  for (let copy = 1; ; copy++) {
    const name = `${stem}${copy === 1 ? '' : `-${copy}`}${ending}`
    if (!existsSync(join(place.root, name))) return name
  }
}

const sync = (path: string): void => {
  const handle = openSync(path, constants.O_RDONLY)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
