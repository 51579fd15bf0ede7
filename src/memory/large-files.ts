import { createHash } from 'node:crypto'
import { constants, renameSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { Refusal } from '../domain/rules/refusal.ts'
import { draftPath, entryAt, notWritable, syncFolder, whyNotOpened } from './file-system.ts'

// As `files.ts`, for files that grow with the board: no step blocks the process for longer than one piece takes.

/** Bytes or characters that are read, written or hashed in one step: about 1 ms. */
const PIECE = 1 << 19

/** The SHA-256 of a text in UTF-8. */
export const hashOfText = async (text: string): Promise<string> => {
  const hash = createHash('sha256')
  for (const piece of piecesOf(text)) {
    hash.update(piece)
    await turn()
  }
  return hash.digest('hex')
}

/** The SHA-256 of a file; undefined if there is none. Refuses links, pipes and folders. */
export const hashOfFile = async (path: string): Promise<string | undefined> => {
  const file = await openPlain(path)
  if (file === undefined) return undefined
  try {
    if (!(await file.stat()).isFile()) throw new Refusal('file_unreadable', `${path} is not a regular file; remove it.`)
    const hash = createHash('sha256')
    const piece = Buffer.alloc(PIECE)
    for (let read = -1; read !== 0;) {
      read = (await file.read(piece, 0, PIECE, null)).bytesRead
      hash.update(piece.subarray(0, read))
    }
    return hash.digest('hex')
  } finally {
    await file.close()
  }
}

/**
 * Writes a file atomically and durably, as `writeMemoryFile` does; false, without writing, if `isAsSeen` returns false.
 */
export const writeLargeFile = async (
  path: string,
  text: string,
  isAsSeen: () => boolean = () => true,
): Promise<boolean> => {
  const known = entryAt(path)
  if (known && !known.isFile())
    throw new Refusal('not_writable', `${path} is not a regular file, so nothing is written there; remove it.`)
  const draft = draftPath(path)
  try {
    const file = await open(draft, 'wx', 0o644)
    try {
      for (const piece of piecesOf(text)) await file.writeFile(piece)
      await file.sync()
    } finally {
      await file.close()
    }
    if (!isAsSeen()) {
      rmSync(draft, { force: true })
      return false
    }
    renameSync(draft, path)
    syncFolder(dirname(path))
    return true
  } catch (error) {
    rmSync(draft, { force: true })
    throw notWritable(path, error)
  }
}

/**
 * A text in UTF-8, piece by piece in one reused buffer: new buffers for each piece would enlarge the process after they
 * were freed (by 27 MB for 40 MB of text).
 */
function* piecesOf(text: string): Generator<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(3 * (PIECE + 1))
  for (let at = 0; at < text.length; at = pieceEnd(text, at))
    yield bytes.subarray(0, bytes.write(text.slice(at, pieceEnd(text, at))))
}

/** The end of a piece that splits no surrogate pair; a lone surrogate does not count. */
const pieceEnd = (text: string, at: number): number => {
  const end = at + PIECE
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end
}

/** Opens without blocking on a pipe and without following a link. */
const openPlain = async (path: string): Promise<FileHandle | undefined> => {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const refused = whyNotOpened(path, error)
    if (refused === undefined) return undefined
    throw refused
  }
}
