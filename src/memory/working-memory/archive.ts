import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Instant } from '../../domain/words/time.ts'
import { readMemoryFile } from '../files.ts'
import { listMemoryNames } from '../folders.ts'
import { decodeText } from '../session-files/decode.ts'
import { FormatError } from '../session-files/format-error.ts'
import type { Leaving } from './memory.ts'
import { isArchiveOf } from './places.ts'

// The archive of a working memory, one JSON value per line: `{archivedAt, section, key?, entry}`. A file is only
// appended to, except for the end of an interrupted write.

/** The largest archive that is read at once (bytes). */
const LARGEST_ARCHIVE = 512 * 1024 * 1024

const archived = z.looseObject({
  archivedAt: z.string(),
  section: z.string(),
  key: z.string().optional(),
  entry: z.unknown(),
})
export type Archived = z.output<typeof archived>

export const archiveLines = (leaving: readonly Leaving[], archivedAt: Instant): string =>
  leaving
    .map(
      ({ section, key, entry }) =>
        `${JSON.stringify({ archivedAt, section, ...(key === undefined ? {} : { key }), entry })}\n`,
    )
    .join('')

/** All entries of an agent's archives, in the order in which they were archived. */
export const readArchive = (folder: string, agent: string): readonly Archived[] =>
  listMemoryNames(folder)
    .filter((name) => isArchiveOf(agent, name))
    .flatMap((name) => {
      const path = join(folder, name)
      return parseArchive(
        decodeText(readMemoryFile(path, LARGEST_ARCHIVE)?.bytes ?? new Uint8Array(), path, LARGEST_ARCHIVE),
        path,
      )
    })

/** Throws a `FormatError` with the line that is not a record. */
export const parseArchive = (text: string, file: string): readonly Archived[] =>
  text.split('\n').flatMap((line, at): readonly Archived[] => {
    if (line.trim() === '') return []
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      throw new FormatError(file, at + 1, 'the line is not valid JSON.')
    }
    const result = archived.safeParse(value)
    if (!result.success)
      throw new FormatError(
        file,
        at + 1,
        'the line is not an archive record; {archivedAt, section, entry} was expected.',
      )
    return [value as Archived]
  })

/** The archive's length before an append, and the lines with a leading line break if the last line lacks one. */
export const planAppend = (path: string, lines: string): { readonly length: number; readonly lines: string } =>
  withArchive(path, constants.O_RDWR | constants.O_CREAT, (file) => {
    const { size: length } = fstatSync(file)
    const last = Buffer.alloc(1)
    if (length > 0) readSync(file, last, 0, 1, length - 1)
    return { length, lines: length > 0 && last[0] !== 0x0a ? `\n${lines}` : lines }
  })

export const append = (path: string, lines: string): void =>
  withArchive(path, constants.O_WRONLY | constants.O_APPEND, (file) => writeAll(file, Buffer.from(lines), null))

/** Truncates the archive to `length` bytes, appends exactly these lines, and waits for the disk. */
export const endArchive = (path: string, length: number, lines: string): void =>
  withArchive(path, constants.O_RDWR | constants.O_CREAT, (file) => {
    const start = Math.min(length, fstatSync(file).size)
    const bytes = Buffer.from(lines)
    ftruncateSync(file, start + bytes.length)
    writeAll(file, bytes, start)
    fsyncSync(file)
  })

const writeAll = (file: number, bytes: Uint8Array, start: number | null): void => {
  for (let at = 0; at < bytes.length;)
    at += writeSync(file, bytes, at, bytes.length - at, start === null ? null : start + at)
}

/** Opens a regular file without following a link or blocking on a pipe. */
const withArchive = <T>(path: string, flags: number, work: (file: number) => T): T => {
  let file: number
  try {
    file = openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why =
      code === 'ELOOP' || code === 'EMLINK'
        ? 'is a symbolic link, which is not followed'
        : `cannot be written (${code})`
    throw new Refusal('not_writable', `${path} ${why}, so nothing was archived.`, { cause: error })
  }
  try {
    if (!fstatSync(file).isFile())
      throw new Refusal('not_writable', `${path} is not a regular file, so nothing was archived; remove it.`)
    return work(file)
  } finally {
    closeSync(file)
  }
}
