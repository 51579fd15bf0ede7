import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/**
 * The text of a regular file, or undefined. A pipe that an agent has put in its place would block its reader forever, so
 * it is opened without waiting, and what was opened is looked at.
 */
export const readRegular = (path: string): string | undefined => {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
  try {
    return fstatSync(file).isFile() ? readFileSync(file, 'utf8') : undefined
  } finally {
    closeSync(file)
  }
}
