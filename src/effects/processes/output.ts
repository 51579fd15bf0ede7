import { randomUUID } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { link, mkdir, open, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputPiece } from '../../contracts/observations.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import { instant, type Instant } from '../../domain/words/time.ts'
import { logsFolder } from '../files/paths.ts'
import { ownSecrets } from './environment.ts'

// The output of a process in a file: read piece by piece, with its secrets masked, and saved for a person.

export type From = { readonly offset: number } | { readonly tail: number }

/** A piece of an output file from a byte offset, or its last bytes. A missing file counts as empty. */
export const readOutput = async (path: string, from: From): Promise<OutputPiece> => {
  const { bytes, start, size } = await readBytes(path, from)
  const end = wholeCharacters(bytes)
  return { text: bytes.toString('utf8', 0, end), next: start + end, size }
}

/** The most bytes of a file that is read as a whole. */
const WHOLE = 8 * 1024 * 1024

/** A whole file, or its last bytes; a missing file counts as empty. */
export const readWhole = async (path: string | null): Promise<OutputPiece> => {
  const size = path === null ? 0 : ((await stat(path).catch(() => undefined))?.size ?? 0)
  const pieces: string[] = []
  let next = Math.max(0, size - WHOLE)
  while (path !== null && next < size) {
    const piece = await readOutput(path, { offset: next })
    if (piece.next === next) break
    pieces.push(piece.text)
    next = piece.next
  }
  return { text: pieces.join(''), next, size }
}

/** When the output last grew; null if there is none. */
export const grownAt = async (path: string): Promise<Instant | null> => {
  const found = await stat(path).catch(() => undefined)
  return found === undefined || found.size === 0 ? null : instant(found.mtimeMs)
}

/** When the file was last written to. */
export const writtenAt = async (path: string): Promise<Instant> =>
  instant((await stat(path).catch(() => undefined))?.mtimeMs ?? 0)

/** The most bytes of an output file that are read at a time. */
const PIECE = 256 * 1024

/**
 * The complete lines of such a piece; `next` is the start of the incomplete last line. A line of which the piece
 * contains only the middle is skipped, because half a message cannot be parsed.
 */
export const readLines = async (
  path: string,
  from: From,
): Promise<{ readonly lines: readonly string[]; readonly next: number; readonly size: number }> => {
  const { bytes, start, size, inLine } = await readBytes(path, from)
  const full = bytes.length === PIECE
  const newline = bytes.indexOf(10)
  if (newline === -1) return { lines: [], next: full ? start + bytes.length : start, size }
  const first = inLine ? newline + 1 : 0
  const end = bytes.lastIndexOf(10) + 1
  return { lines: bytes.toString('utf8', first, end).split('\n').slice(0, -1), next: start + end, size }
}

/** The raw bytes; `inLine` if they begin in the middle of a line. */
const readBytes = async (
  path: string,
  from: From,
): Promise<{ bytes: Buffer; start: number; size: number; inLine: boolean }> => {
  const size = (await stat(path).catch(() => undefined))?.size ?? 0
  // A file that shrank was replaced: start from the beginning.
  const start =
    'offset' in from ? (from.offset > size ? 0 : from.offset) : Math.max(0, size - Math.min(from.tail, PIECE))
  if (start >= size) return { bytes: Buffer.alloc(0), start: size, size, inLine: false }
  const file = await open(path)
  try {
    const before = Math.min(1, start)
    const buffer = Buffer.alloc(Math.min(PIECE, size - start) + before)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start - before)
    return { bytes: buffer.subarray(before, bytesRead), start, size, inLine: before === 1 && buffer[0] !== 10 }
  } finally {
    await file.close()
  }
}

/** The last line that is not blank, nor a note of aiswarm's about what is missing; at most 300 characters. */
export const lastLine = async (path: string): Promise<string> => {
  const { text } = await readOutput(path, { tail: 4096 })
  return (
    text
      .split('\n')
      .map((line) => line.trim())
      .findLast((line) => line !== '' && !/^… .* …$/.test(line))
      ?.slice(0, 300) ?? ''
  )
}

/**
 * The number of bytes up to the last complete UTF-8 character; the rest comes with the next piece, or is still being
 * written.
 */
const wholeCharacters = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** A longer log is masked only when it is shown (bytes). */
const LONGEST = 16 * 1024 * 1024

/** Masks the secrets in a log written by a branch's code, once no process writes to it. */
export const maskLog = (path: string): void => {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0 || size > LONGEST) return
  const text = readFileSync(path, 'utf8')
  const masked = maskSecrets(text, ownSecrets())
  if (masked !== text) writeFileSync(path, masked, { mode: 0o600 })
}

/**
 * Saves logs on a person's request to a new file, with secrets masked, and returns its path. It never replaces a file.
 */
export const saveLog = async (root: string, name: string, text: string): Promise<string> => {
  const folder = join(logsFolder(root), 'saved')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const unfinished = join(folder, `.${randomUUID()}`)
  await writeFile(unfinished, maskSecrets(text), { mode: 0o600, flag: 'wx' })
  try {
    for (let n = 1; ; n++) {
      const path = join(folder, n === 1 ? `${name}.log` : `${name}-${n}.log`)
      try {
        await link(unfinished, path)
        return path
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
    }
  } finally {
    await unlink(unfinished)
  }
}
