import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import type { Bytes } from './bytes.ts'
import { breather } from './walk.ts'

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

export const BLOCK = 512
export const PIECE = 1024 * 1024

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
export const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK
