import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { breather } from './entries.ts'

export type ObjectFormat = 'sha1' | 'sha256'

/** Bytes read at a time. */
const PIECE = 1024 * 1024

/** The object name that git gives the raw bytes of a file, without filters. A link is not followed. */
export const blobOf = async (path: Buffer, format: ObjectFormat): Promise<string> => {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size } = fstatSync(file)
    const hash = createHash(format).update(`blob ${size}\0`)
    const pause = breather()
    const piece = Buffer.allocUnsafe(Math.min(PIECE, Math.max(1, size)))
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
      hash.update(piece.subarray(0, read))
      await pause()
    }
    return hash.digest('hex')
  } finally {
    closeSync(file)
  }
}

export const blobOfBytes = (bytes: Buffer, format: ObjectFormat): string =>
  createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
