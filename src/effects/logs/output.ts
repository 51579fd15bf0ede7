import { open, stat } from 'node:fs/promises'
import type { OutputPiece } from '../../contracts/observations.ts'
import { instant, type Instant } from '../../domain/words/time.ts'

/** The most bytes of an output file that are read at a time. */
const PIECE = 256 * 1024

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

/** The last line that is not blank, at most 300 characters. */
export const lastLine = async (path: string): Promise<string> => {
  const { text } = await readOutput(path, { tail: 4096 })
  return (
    text
      .split('\n')
      .map((line) => line.trim())
      .findLast((line) => line !== '')
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
