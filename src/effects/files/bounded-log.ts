import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { bytes as inWords } from '../../domain/words/counts.ts'

// A program that prints endlessly would fill the disk that holds the database. It appends its output to a file
// directly, because agents outlive the console, so the file is shortened in place: its beginning and its end stay, and
// a line between them says how much is missing.

/**
 * Shortens the part of a log after `from` if it exceeds `most` bytes. The program continues to append meanwhile; output
 * at the very moment of the cut may be lost. Returns true if the log was shortened.
 */
export const boundLog = (
  path: string,
  { from = 0, most }: { readonly from?: number; readonly most: number },
): boolean => {
  if (!existsSync(path)) return false
  const file = openSync(path, 'r+')
  try {
    let size = fstatSync(file).size
    if (size - from <= most) return false
    const headEnd = lineBefore(file, from + Math.floor(most / 2))
    const before = leftOutAt(file, headEnd)
    let at = lineBefore(file, size - Math.floor(most / 4))
    const marker = Buffer.from(sentence(at - headEnd - before.length + before.missing))
    let end = headEnd + writeSync(file, marker, 0, marker.length, headEnd)
    // Output that was appended while the tail was copied is copied too.
    for (let round = 0; at < size && round < ROUNDS; round++, size = fstatSync(file).size) {
      for (; at < size;) {
        const piece = read(file, at, Math.min(PIECE, size - at))
        if (piece.length === 0) break
        end += writeSync(file, piece, 0, piece.length, end)
        at += piece.length
      }
    }
    ftruncateSync(file, end)
    return true
  } finally {
    closeSync(file)
  }
}

const PIECE = 1024 * 1024

/** Limits the rounds, because a program that writes faster than the copy would never be caught up with. */
const ROUNDS = 4

/** A longer line is cut in its middle (bytes). */
const LINE = 64 * 1024

const sentence = (missing: number): string =>
  `… ${missing} bytes (${inWords(missing)}) are missing here: session.logLimit is reached …\n`

/** The marker of an earlier cut, which is where the next one begins. */
const leftOutAt = (file: number, at: number): { readonly missing: number; readonly length: number } => {
  const [text, missing] =
    /^… (\d+) bytes \([^)]*\) are missing here: [^\n]*\n/.exec(read(file, at, 200).toString('utf8')) ?? []
  return text === undefined ? { missing: 0, length: 0 } : { missing: Number(missing), length: Buffer.byteLength(text) }
}

/** The start of the line that contains `at`, or `at` itself if no line starts shortly before it. */
const lineBefore = (file: number, at: number): number => {
  const start = Math.max(0, at - LINE)
  const newline = read(file, start, at - start).lastIndexOf(10)
  return newline === -1 ? at : start + newline + 1
}

const read = (file: number, at: number, length: number): Buffer => {
  const buffer = Buffer.alloc(length)
  return buffer.subarray(0, readSync(file, buffer, 0, length, at))
}
