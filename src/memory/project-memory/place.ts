import { dirname, join } from 'node:path'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { ensureMemoryFolder, entryAt, LARGEST, listMemoryNames, readMemoryFile, writeMemoryFile } from '../files.ts'
import { decodeText } from '../session-files/decode.ts'
import { isFormatError } from '../session-files/format-error.ts'
import { appendToFile } from './append.ts'
import { emptyLedger, type Ledger, parseLedger, renderLedger } from './ledger.ts'
import { places } from './names.ts'

/** A repository's project memory. Paths are relative to its root, with slashes. */
export interface ProjectPlace {
  readonly root: string
  /** Runs `work` while no other process is inside the same lock. */
  readonly lock: <T>(path: string, work: () => T) => T
  readonly clock: () => Instant
  /** Which agent owns which topics (`memory.owners`). */
  readonly owners: Readonly<Record<string, readonly string[]>>
}

/** What only grows may grow large (bytes). */
const LARGEST_LOG = 64 * LARGEST

const grows = (path: string): boolean => path === places.timeline || path.endsWith('.jsonl')

/** Everything that is written is written in here. */
export const alone = <T>(place: ProjectPlace, work: () => T): T => {
  refuseLinks(place, places.sessions)
  ensureMemoryFolder(place.root, places.sessions)
  return place.lock(join(place.root, places.lock), work)
}

export const bytesOf = (place: ProjectPlace, path: string): Uint8Array | undefined => fileAt(place, path)?.bytes

export const changedAt = (place: ProjectPlace, path: string): number | undefined => fileAt(place, path)?.changedAt

/** The text of a file, lines ended by LF; undefined where there is none. Refuses with file and line what is no text. */
export const textAt = (place: ProjectPlace, path: string): string | undefined => {
  const bytes = bytesOf(place, path)
  return bytes && named(() => decodeText(bytes, path, LARGEST_LOG))
}

/** What a file says in its format; undefined where there is none. */
export const readAt = <T>(place: ProjectPlace, path: string, parse: (text: string, file: string) => T): T | undefined => {
  const text = textAt(place, path)
  return text === undefined ? undefined : named(() => parse(text, path))
}

/** What stands in a folder, as paths; nothing where it is missing. Links, pipes and folders are refused where they are read. */
export const filesIn = (place: ProjectPlace, folder: string): readonly string[] => {
  refuseLinks(place, folder)
  return listMemoryNames(join(place.root, folder)).map((name) => `${folder}/${name}`)
}

/** Names of the folders in a folder, links left out. */
export const foldersIn = (place: ProjectPlace, folder: string): readonly string[] => {
  refuseLinks(place, folder)
  const path = join(place.root, folder)
  return listMemoryNames(path).filter((name) => entryAt(join(path, name))?.isDirectory() === true)
}

/** True where anything is, though it be a link that leads nowhere. */
export const isThere = (place: ProjectPlace, path: string): boolean => entryAt(join(place.root, path)) !== undefined

export const writeAt = (place: ProjectPlace, path: string, text: string): void => {
  if (Buffer.byteLength(text) > (grows(path) ? LARGEST_LOG : LARGEST)) throw new Refusal('invalid_input', `${path} would have more than 1 MB; write less.`)
  makeFolder(place, dirname(path))
  writeMemoryFile(join(place.root, path), text)
}

/** As `writeAt`, of a file that a person may have begun: its byte order mark and the ends of its lines stay as they are. */
export const rewriteAt = (place: ProjectPlace, path: string, text: string): void => writeAt(place, path, inFormOf(bytesOf(place, path), text))

/** A text, lines ended by LF, with the byte order mark and the ends of lines that a file had. */
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

export const writeLedger = (place: ProjectPlace, ledger: Ledger): void => writeAt(place, places.ledger, renderLedger(ledger))

/** What a format refuses is a refusal, with the same words. */
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

/** No folder on the way is a link: it may lead out of the repository, and what is made on the way would stay there. */
const refuseLinks = ({ root }: ProjectPlace, folder: string): void => {
  const parts = folder.split('/')
  for (let length = 1; length <= parts.length; length++) {
    const path = join(root, ...parts.slice(0, length))
    const stat = entryAt(path)
    if (!stat) return
    if (stat.isSymbolicLink()) throw new Refusal('outside_worktree', `${path} is a symbolic link, which is not followed; put the folder itself there.`)
    if (!stat.isDirectory()) throw new Refusal('file_unreadable', `${path} is no folder; remove it.`)
  }
}
