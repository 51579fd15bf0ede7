import { lstatSync } from 'node:fs'

// Fingerprints of files, taken without starting a process.

/** A name of a file: text, or bytes where it is none. */
export type FilePath = string | Buffer

/**
 * What the file system says of these paths, in one text. Git replaces its index, its refs and HEAD by renaming, so their
 * inode changes with them; an editor that writes in place changes the times, of which nobody can set the second.
 */
export const printOf = (paths: readonly FilePath[]): string => paths.map(stampOf).join(' ')

const stampOf = (path: FilePath): string => {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat ? `${stat.ino}.${stat.mode}.${stat.size}.${stat.mtimeMs}.${stat.ctimeMs}` : '-'
  } catch {
    // A folder on the way that may not be entered, or is none any more.
    return '!'
  }
}
