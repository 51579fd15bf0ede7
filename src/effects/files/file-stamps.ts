import { lstatSync } from 'node:fs'

// Fingerprints of files, taken without starting a process.

/** A file name: text, or bytes if it is not UTF-8. */
export type FilePath = string | Buffer

/**
 * The file system's stamps of these paths, as one text. Git replaces its index, its refs and HEAD by renaming, which
 * changes the inode; an editor that writes in place changes both times, of which no program can set the second (ctime).
 */
export const stampsOf = (paths: readonly FilePath[]): string => paths.map(stampOf).join(' ')

const stampOf = (path: FilePath): string => {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat ? `${stat.ino}.${stat.mode}.${stat.size}.${stat.mtimeMs}.${stat.ctimeMs}` : '-'
  } catch {
    // A parent folder that is not readable, or no longer a folder.
    return '!'
  }
}
