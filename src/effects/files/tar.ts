import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { breather, type Bytes } from './entries.ts'

// Tar in GNU format, written here because libraries treat names as text, and entries must be restored under the exact
// bytes of their names. It contains nothing but content, so that the same content makes the same file.

export interface TarEntry {
  readonly path: Bytes
  readonly kind: 'file' | 'link'
  readonly mode: number
  readonly target: Bytes
  /** The path from which the content of a file is read. */
  readonly from: Buffer
}

const BLOCK = 512
const PIECE = 1024 * 1024

/** Writes a tar, waits until it is on the disk, and returns the SHA-256 of the whole file. */
export const writeTar = async (file: string, entries: readonly TarEntry[]): Promise<string> => {
  const out = openSync(file, 'w', 0o600)
  const hash = createHash('sha256')
  const pause = breather()
  const put = (bytes: Buffer): void => {
    for (let at = 0; at < bytes.length;) at += writeSync(out, bytes, at)
    hash.update(bytes)
  }
  try {
    for (const entry of entries) {
      if (entry.kind === 'link') put(headers(entry, 0))
      else await copyFile(entry, put, pause)
      await pause()
    }
    put(Buffer.alloc(2 * BLOCK))
    fsyncSync(out)
    return hash.digest('hex')
  } finally {
    closeSync(out)
  }
}

const copyFile = async (entry: TarEntry, put: (bytes: Buffer) => void, pause: () => Promise<void>): Promise<void> => {
  const input = openSync(entry.from, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size } = fstatSync(input)
    put(headers(entry, size))
    const piece = Buffer.allocUnsafe(Math.min(PIECE, Math.max(1, size)))
    let left = size
    while (left > 0) {
      const read = readSync(input, piece, 0, Math.min(piece.length, left), null)
      if (read === 0) throw new Error(`${entry.from.toString()} became shorter while it was read`)
      put(piece.subarray(0, read))
      left -= read
      await pause()
    }
    put(Buffer.alloc(padding(size)))
  } finally {
    closeSync(input)
  }
}

/** The header of an entry, after the headers for names that are too long for it. */
const headers = ({ path, kind, mode, target }: TarEntry, size: number): Buffer =>
  Buffer.concat([
    ...long('K', target),
    ...long('L', path),
    header({ path, target, mode, size, type: kind === 'link' ? '2' : '0' }),
  ])

const long = (type: 'K' | 'L', name: Bytes): readonly Buffer[] => {
  const bytes = Buffer.from(`${name}\0`, 'latin1')
  if (bytes.length <= 100) return []
  return [
    header({ path: '././@LongLink', target: '', mode: 0, size: bytes.length, type }),
    bytes,
    Buffer.alloc(padding(bytes.length)),
  ]
}

const header = ({
  path,
  target,
  mode,
  size,
  type,
}: {
  path: Bytes
  target: Bytes
  mode: number
  size: number
  type: string
}): Buffer => {
  const block = Buffer.alloc(BLOCK)
  block.write(path.slice(0, 100), 0, 'latin1')
  block.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, 'latin1')
  if (size < 8 ** 11) block.write(`${octal(size, 11)}\0`, 124, 'latin1')
  else {
    block.writeUInt32BE(0x80000000, 124)
    block.writeBigUInt64BE(BigInt(size), 128)
  }
  block.write(`${octal(0, 11)}\0${' '.repeat(8)}${type}`, 136, 'latin1')
  block.write(target.slice(0, 100), 157, 'latin1')
  block.write('ustar  \0', 257, 'latin1')
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)}\0 `, 148, 'latin1')
  return block
}

const octal = (n: number, width: number): string => n.toString(8).padStart(width, '0')
const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

interface FoundEntry extends Omit<TarEntry, 'from'> {
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
