import { realpathSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Bytes that the tests need at most at one time, with some to spare; containers often give 64 MB to this folder. */
const NEEDED = 2 * 1024 ** 3

const hasRoom = (folder: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > NEEDED
  } catch {
    return false
  }
}

/** The folder for files of tests: in memory if the system has such a folder, because nothing there waits for a disk. */
export const fastFolder = realpathSync(hasRoom('/dev/shm') ? '/dev/shm' : tmpdir())
