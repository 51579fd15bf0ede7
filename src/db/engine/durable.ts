import { closeSync, constants, fsyncSync, openSync } from 'node:fs'

/** Makes the content of a file, or the names in a folder, survive a power loss. */
export const syncPath = (path: string): void => {
  const handle = openSync(path, constants.O_RDONLY)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
