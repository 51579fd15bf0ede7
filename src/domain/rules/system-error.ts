import { isRefusal, Refusal, type RefusalCode } from './refusal.ts'

// Errors of the operating system are described in one place: the failed action, and what a person can do.

/**
 * The meaning of every error number, and the remedy, without those that only a bug causes (EBADF, EINVAL, EEXIST, …).
 */
const meanings: Readonly<Record<string, readonly [RefusalCode, string]>> = {
  ENOSPC: ['not_writable', 'The disk is full. Make room and try again'],
  EDQUOT: ['not_writable', 'Your disk quota is used up. Make room and try again'],
  EFBIG: [
    'not_writable',
    'The file would be larger than the system allows. Raise the limit (ulimit -f), or move something away',
  ],
  EROFS: ['not_writable', 'The file system is mounted read-only. Mount it writable and try again'],
  EACCES: ['not_writable', 'The permissions do not allow it. Change them and try again'],
  EPERM: ['not_writable', 'The system does not allow it. Check owner, permissions and attributes of the file'],
  EIO: ['disk_failed', 'The disk reported an error. Check the disk (dmesg), then try again'],
  ENXIO: ['disk_failed', 'The device is gone. Reconnect it and try again'],
  ENODEV: ['disk_failed', 'The device is gone. Reconnect it and try again'],
  ESTALE: ['disk_failed', 'The network file system has lost the file. Mount it again and try again'],
  ETIMEDOUT: ['disk_failed', 'The file system did not answer in time. Try again'],
  EMFILE: ['disk_failed', 'Too many files are open in this program. Raise the limit (ulimit -n) and try again'],
  ENFILE: ['disk_failed', 'Too many files are open on this machine. Close programs and try again'],
  ENOMEM: ['disk_failed', 'There is not enough memory. End other programs and try again'],
  EAGAIN: [
    'disk_failed',
    'The system cannot start another program or hold another lock. End other programs, or raise the limit (ulimit -u), and try again',
  ],
  EBUSY: ['disk_failed', 'The file or folder is in use. End the program that uses it and try again'],
  ENAMETOOLONG: ['not_writable', 'The path is longer than the file system allows. Use a shorter name'],
  ELOOP: ['not_writable', 'The symbolic links form a loop. Remove one of them'],
  ENOTDIR: ['not_writable', 'A part of the path is not a folder. Move away the file in its place'],
  EISDIR: ['not_writable', 'A folder is in the place of a file. Move it away'],
  ENOTEMPTY: ['not_writable', 'The folder is not empty. Check its contents'],
  EXDEV: ['not_writable', 'Source and target are on different file systems. Use one file system'],
}

interface SystemError extends Error {
  readonly code: string
  readonly syscall: string
  readonly path?: unknown
}

/** The refusal for an error, or for an error of the operating system; undefined for a bug. */
export const asRefusal = (error: unknown): Refusal | undefined => {
  if (isRefusal(error)) return error
  // A library that cannot be loaded has no error number and no path.
  if (isLoadError(error)) return refusalOfWords(error.message, `load ${error.message.split(': ')[0]!}`)
  if (!isSystemError(error)) return undefined
  const number = error.code === '' ? numberIn(error.message) : error.code
  const meaning = meanings[number]
  if (!meaning) return undefined
  const [code, sentence] = meaning
  const where = typeof error.path === 'string' && error.path !== '' ? ` ${error.path}` : ''
  return new Refusal(code, `${sentence} (${number}: ${error.syscall}${where}).`, { cause: error })
}

/** The refusal for an error of the system in another program's output; `work` is the failed action. */
export const refusalOfWords = (printed: string, work: string): Refusal | undefined => {
  const number = Object.entries(words).find(([text]) => printed.includes(text))?.[1]
  const meaning = number === undefined ? undefined : meanings[number]
  return meaning && new Refusal(meaning[0], `${meaning[1]} (${number}: ${work}).`)
}

/** Node's own removal of files knows few error numbers and reports the others in the words of C++, as git does. */
const words: Readonly<Record<string, string>> = {
  'Input/output error': 'EIO',
  'No space left on device': 'ENOSPC',
  'Disk quota exceeded': 'EDQUOT',
  'Read-only file system': 'EROFS',
  'Stale file handle': 'ESTALE',
  'Cannot allocate memory': 'ENOMEM',
  'Device or resource busy': 'EBUSY',
  'Too many open files': 'EMFILE',
}

const numberIn = (message: string): string =>
  Object.entries(words).find(([text]) => message.includes(text))?.[1] ?? 'EIO'

const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  'syscall' in error &&
  typeof error.syscall === 'string'

const isLoadError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'ERR_DLOPEN_FAILED'
