import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { Refusal } from '../../../domain/rules/refusal.ts'

/**
 * Appends a text to a file in one write, which a crash leaves undone or done; completes the file's last line first if
 * it lacks its line break. Creates a missing file. Refuses links, pipes, folders and a result above `largest` bytes,
 * which no reader accepts; a full disk leaves the file unchanged.
 */
export const appendToFile = (path: string, text: string, largest: number): void => {
  const file = openToAppend(path)
  try {
    const stat = fstatSync(file)
    if (!stat.isFile())
      throw new Refusal('not_writable', `${path} is not a regular file, so nothing is written there; remove it.`)
    const bytes = Buffer.from(stat.size > 0 && !endsLine(file, stat.size) ? `\n${text}` : text)
    if (stat.size + bytes.length > largest)
      throw new Refusal(
        'not_writable',
        `${path} would have more than ${largest >> 20} MB, so nothing was added; move it away.`,
      )
    try {
      if (writeSync(file, bytes) !== bytes.length) throw Object.assign(new Error('short write'), { code: 'ENOSPC' })
      fsyncSync(file)
    } catch (error) {
      ftruncateSync(file, stat.size)
      throw error
    }
    if (stat.size === 0) syncFolderOf(path)
  } catch (error) {
    throw refusalOf(path, error)
  } finally {
    closeSync(file)
  }
}

/** Opens without blocking on a pipe and without following a link. */
const openToAppend = (path: string): number => {
  try {
    return openSync(
      path,
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      0o644,
    )
  } catch (error) {
    throw refusalOf(path, error)
  }
}

const endsLine = (file: number, size: number): boolean => {
  const last = Buffer.alloc(1)
  readSync(file, last, 0, 1, size - 1)
  return last[0] === 0x0a
}

const syncFolderOf = (path: string): void => {
  const folder = openSync(dirname(path), constants.O_RDONLY)
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const refusalOf = (path: string, error: unknown): unknown => {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof Refusal || code === undefined) return error
  if (code === 'ELOOP' || code === 'EMLINK')
    return new Refusal('not_writable', `${path} is a symbolic link, which is not followed; replace it with the file.`, {
      cause: error,
    })
  if (code === 'ENOSPC')
    return new Refusal('not_writable', `The disk is full, so ${path} was not changed; make room.`, { cause: error })
  return new Refusal('not_writable', `${path} cannot be written (${code}).`, { cause: error })
}
