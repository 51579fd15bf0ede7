import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Bytes } from './bytes.ts'
import { breather } from './walk.ts'
import { BLOCK, padding, PIECE, type TarEntry } from './tar.ts'

export interface FoundEntry extends Omit<TarEntry, 'from'> {
  /** The content, piece by piece; content that is not consumed is skipped. */
  readonly content: () => Iterable<Buffer>
}

/** Yields the entries of a tar that `writeTar` wrote. */
export function* readTar(file: string): Generator<FoundEntry> {
  const input = openSync(file, 'r')
  try {
    let at = 0
    const block = Buffer.alloc(BLOCK)
    const name = { K: '', L: '' }
    for (;;) {
      if (readSync(input, block, 0, BLOCK, at) < BLOCK) throw new Error(`${file} ends too early`)
      if (block[0] === 0) return
      at += BLOCK
      const type = block.toString('latin1', 156, 157)
      const size = sizeIn(block)
      const start = at
      at += size + padding(size)
      if (type === 'K' || type === 'L') {
        name[type] = [...pieces(input, start, size)]
          .map((piece) => piece.toString('latin1'))
          .join('')
          .replace(/\0$/, '')
        continue
      }
      const path = name.L || textIn(block, 0, 100)
      const target = name.K || textIn(block, 157, 100)
      name.K = name.L = ''
      yield {
        path,
        target,
        kind: type === '2' ? 'link' : 'file',
        mode: parseInt(textIn(block, 100, 8), 8),
        content: () => pieces(input, start, size),
      }
    }
  } finally {
    closeSync(input)
  }
}

const sizeIn = (block: Buffer): number =>
  block[124] === 0x80 ? Number(block.readBigUInt64BE(128)) : parseInt(textIn(block, 124, 12), 8)

const textIn = (block: Buffer, from: number, length: number): Bytes => {
  const text = block.toString('latin1', from, from + length)
  const end = text.indexOf('\0')
  return end === -1 ? text : text.slice(0, end)
}

function* pieces(input: number, from: number, size: number): Generator<Buffer> {
  const piece = Buffer.allocUnsafe(Math.min(PIECE, Math.max(1, size)))
  for (let done = 0; done < size;) {
    const read = readSync(input, piece, 0, Math.min(piece.length, size - done), from + done)
    if (read === 0) throw new Error('a tar ends too early')
    done += read
    yield piece.subarray(0, read)
  }
}

/** SHA-256 of a file. */
export const digestOf = async (file: string): Promise<string> => {
  const input = openSync(file, 'r')
  try {
    const hash = createHash('sha256')
    const pause = breather()
    for (const piece of pieces(input, 0, fstatSync(input).size)) {
      hash.update(piece)
      await pause()
    }
    return hash.digest('hex')
  } finally {
    closeSync(input)
  }
}
