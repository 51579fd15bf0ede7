import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { bytes as inWords } from '../domain/bytes.ts'

// A program that prints without end would fill the disk on which the database lies. Its output goes to a file that it
// appends to, and nobody stands between (agents outlive the console), so the file is shortened where it lies: its head and
// its tail stay, and a line between them says how much is missing.

/**
 * Shortens what a log holds behind `from` when that is more than `most` bytes. Its writer goes on appending meanwhile; what
 * it writes in the very moment of the cut may be lost with the rest. True where it was shortened.
 */
export const boundLog = (path: string, { from = 0, most }: { readonly from?: number; readonly most: number }): boolean => {
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
    // What was appended while the tail was copied is copied too.
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

/** A writer that is faster than the copy would never be caught up with. */
const ROUNDS = 4

/** A line longer than this is cut in its middle (bytes). */
const LINE = 64 * 1024

const sentence = (missing: number): string => `… ${missing} bytes (${inWords(missing)}) are missing here: session.logLimit is reached …\n`

/** The marker of an earlier cut, which stands where the next one begins. */
const leftOutAt = (file: number, at: number): { readonly missing: number; readonly length: number } => {
  const [text, missing] = /^… (\d+) bytes \([^)]*\) are missing here: [^\n]*\n/.exec(read(file, at, 200).toString('utf8')) ?? []
  return text === undefined ? { missing: 0, length: 0 } : { missing: Number(missing), length: Buffer.byteLength(text) }
}

/** Where the line begins that `at` lies in; `at` itself where no line begins shortly before it. */
const lineBefore = (file: number, at: number): number => {
  const start = Math.max(0, at - LINE)
  const newline = read(file, start, at - start).lastIndexOf(10)
  return newline === -1 ? at : start + newline + 1
}

const read = (file: number, at: number, length: number): Buffer => {
  const buffer = Buffer.alloc(length)
  return buffer.subarray(0, readSync(file, buffer, 0, length, at))
}
