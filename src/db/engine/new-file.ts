import { randomBytes } from 'node:crypto'
import { closeSync, constants, fsyncSync, linkSync, openSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'

/** A file that is made whole or not at all: written as a draft, which only then gets its name. */
interface NewFile {
  readonly draft: string
  /** Gives the draft its name, on the disk. */
  readonly place: () => void
  /** Removes what remains of the draft. */
  readonly clear: () => void
}

export const newFile = (path: string): NewFile => {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)
  return {
    draft,
    place: () => {
      syncPath(draft)
      // A hard link fails if the name was taken meanwhile, whereas a rename would overwrite.
      linkSync(draft, path)
      syncPath(dirname(path))
    },
    clear: () => {
      for (const end of ['', '-wal', '-shm']) rmSync(draft + end, { force: true })
    },
  }
}

/** The refusal for a file that cannot be made at a path; undefined for other errors. */
export const whyNoFile = (path: string, error: unknown): Refusal | undefined => {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return new Refusal('path_exists', `${path} already exists. Name a new file.`)
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new Refusal('not_writable', `There is no folder ${dirname(path)}. Create it, or name another file.`, {
      cause: error,
    })
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return new Refusal('not_writable', `${dirname(path)} cannot be written (${code}). Name a file in another folder.`, {
      cause: error,
    })
  return undefined
}

/** Makes the content of a file, or the names in a folder, survive a power loss. */
export const syncPath = (path: string): void => {
  const handle = openSync(path, constants.O_RDONLY)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
