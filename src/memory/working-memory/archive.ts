import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
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
import { join } from 'node:path'
import { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Instant } from '../../domain/words/time.ts'
import { decodeText } from '../decode.ts'
import { listMemoryNames, notWritable, syncFolder, writeDraft } from '../file-system.ts'
import { deleteMemoryFile, readMemoryFile, writeMemoryFile } from '../files.ts'
import { FormatError } from '../format-error.ts'
import { LARGEST_MEMORY, type Leaving } from './memory.ts'
import { isArchiveOf, madeArchive, type MemoryFiles } from './paths.ts'

// Memory and archive are two files, and an entry that leaves the memory must be in the archive exactly once, even after
// a kill. Therefore each change is written to a journal first; the next writer finds it and makes the archive match the
// memory.

/** Writes the memory, and archives the entries that leave it. The caller holds the lock. */
export const commit = (
  files: MemoryFiles,
  before: Uint8Array | undefined,
  text: string,
  leaving: { readonly archive: string; readonly lines: string } | undefined,
): void => {
  if (!leaving) return writeMemoryFile(files.memory, text)
  const archive = join(madeArchive(files.folder), leaving.archive)
  const { length, lines } = planAppend(archive, leaving.lines)
  const draft = writeDraft(files.memory, text)
  try {
    writeMemoryFile(
      files.pending,
      JSON.stringify({
        archive: leaving.archive,
        length,
        lines,
        before: before ? hash(before) : null,
        after: hash(text),
      }),
    )
    // Between these two writes a reader finds the entries in both files, for microseconds, because everything else is
    // done.
    append(archive, lines)
    renameSync(draft, files.memory)
  } catch (error) {
    rmSync(draft, { force: true })
    recover(files)
    throw notWritable(files.memory, error)
  }
  recover(files)
}

/** Completes an interrupted write, or confirms a complete one. The caller holds the lock. */
export const recover = (files: MemoryFiles): void => {
  if (!existsSync(files.pending)) return
  const { archive, length, lines, before, after } = readPending(files)
  const memory = readMemoryFile(files.memory, LARGEST_MEMORY)
  const found = memory ? hash(memory.bytes) : null
  const path = join(madeArchive(files.folder), archive)
  try {
    if (found === after) endArchive(path, length, lines)
    else if (found === before) endArchive(path, length, '')
    // Otherwise the memory was changed since: twice is better than never.
    for (const folder of [join(path, '..'), files.folder]) syncFolder(folder)
  } catch (error) {
    throw notWritable(path, error)
  }
  deleteMemoryFile(files.pending)
}

const pending = z.object({
  archive: z.string(),
  /** The archive's length before (bytes). */
  length: z.number().int().min(0),
  lines: z.string(),
  /** Hashes of the memory; null if there was none. */
  before: z.string().nullable(),
  after: z.string(),
})

const readPending = (files: MemoryFiles): z.output<typeof pending> => {
  const file = readMemoryFile(files.pending, LARGEST_MEMORY)
  try {
    const read = pending.parse(JSON.parse(Buffer.from(file!.bytes).toString('utf8')))
    if (isArchiveOf(files.agent, read.archive)) return read
  } catch {
    // Reported below.
  }
  throw new Refusal(
    'file_unreadable',
    `${files.pending}:1: aiswarm did not write this; remove the file once ${files.memory} and its archive are correct.`,
  )
}

const hash = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

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
const planAppend = (path: string, lines: string): { readonly length: number; readonly lines: string } =>
  withArchive(path, constants.O_RDWR | constants.O_CREAT, (file) => {
    const { size: length } = fstatSync(file)
    const last = Buffer.alloc(1)
    if (length > 0) readSync(file, last, 0, 1, length - 1)
    return { length, lines: length > 0 && last[0] !== 0x0a ? `\n${lines}` : lines }
  })

const append = (path: string, lines: string): void =>
  withArchive(path, constants.O_WRONLY | constants.O_APPEND, (file) => writeAll(file, Buffer.from(lines), null))

/** Truncates the archive to `length` bytes, appends exactly these lines, and waits for the disk. */
const endArchive = (path: string, length: number, lines: string): void =>
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
