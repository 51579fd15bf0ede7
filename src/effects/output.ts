import { open, stat } from 'node:fs/promises'
import type { OutputPiece } from '../operations/kernel/outside.ts'

/** Most bytes of an output file that are read at a time. */
const PIECE = 256 * 1024

/** A piece of an output file from a byte offset, or its last bytes. A missing file is an empty one. */
export const readOutput = async (path: string, from: { readonly offset: number } | { readonly tail: number }): Promise<OutputPiece> => {
  const size = (await stat(path).catch(() => undefined))?.size ?? 0
  // A file that shrank was replaced: begin anew.
  const start = 'offset' in from ? (from.offset > size ? 0 : from.offset) : Math.max(0, size - Math.min(from.tail, PIECE))
  if (start >= size) return { text: '', next: size, size }
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(Math.min(PIECE, size - start))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
    const end = wholeCharacters(buffer.subarray(0, bytesRead))
    return { text: buffer.toString('utf8', 0, end), next: start + end, size }
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

/** How many bytes end with a whole UTF-8 character; the rest comes with the next piece, or is still being written. */
const wholeCharacters = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
