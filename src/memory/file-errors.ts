import { Refusal } from '../domain/rules/refusal.ts'

/** The refusal for a file that could not be opened without following a link; undefined if there is no file. */
export const whyNotOpened = (path: string, error: unknown): Refusal | undefined => {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  if (code !== 'ELOOP' && code !== 'EMLINK') return unreadable(path, error)
  return new Refusal(
    'file_unreadable',
    `${path} is a symbolic link, which is not followed; replace it with the file.`,
    { cause: error },
  )
}

export const unreadable = (path: string, error: unknown): Refusal =>
  new Refusal('file_unreadable', `${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, { cause: error })

export const notWritable = (path: string, error: unknown): unknown => {
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined || error instanceof Refusal) return error
  if (code === 'ENOSPC')
    return new Refusal('not_writable', `The disk is full, so ${path} was not changed; make room.`, { cause: error })
  return new Refusal('not_writable', `${path} cannot be written (${code}).`, { cause: error })
}
