import { createHash } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import { deleteMemoryFile, readMemoryFile, writeMemoryFile } from '../files.ts'
import { writeDraft } from '../drafts.ts'
import { syncFolder } from '../folders.ts'
import { notWritable } from '../file-errors.ts'
import { append, endArchive, planAppend } from './archive.ts'
import { LARGEST_MEMORY } from './parse.ts'
import { isArchiveOf, madeArchive, type MemoryFiles } from './places.ts'

// Memory and archive are two files, and an entry that leaves the memory must be in the archive exactly once, even after
// a kill. Therefore each change is written to a journal first; the next writer finds it and makes the archive match the
// memory.

const pending = z.object({
  archive: z.string(),
  /** The archive's length before (bytes). */
  length: z.number().int().min(0),
  lines: z.string(),
  /** Hashes of the memory; null if there was none. */
  before: z.string().nullable(),
  after: z.string(),
})

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
