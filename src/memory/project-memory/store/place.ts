import { dirname, join } from 'node:path'
import { Refusal } from '../../../domain/rules/refusal.ts'
import type { Instant } from '../../../domain/words/time.ts'
import { LARGEST, readMemoryFile, writeMemoryFile } from '../../files.ts'
import { ensureMemoryFolder, entryAt, listMemoryNames } from '../../folders.ts'
import { decodeText } from '../../session-files/decode.ts'
import { isFormatError } from '../../session-files/format-error.ts'
import { appendToFile } from './append.ts'
import { emptyLedger, type Ledger, parseLedger, renderLedger } from '../format/ledger.ts'
import { places } from '../format/names.ts'

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
