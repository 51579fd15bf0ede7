import { existsSync, lstatSync, readdirSync, renameSync } from 'node:fs'
import { type Bytes, pathIn } from '../files/entries.ts'

/**
 * Moves entries that a restored folder lacks from the trash, if it is still there: content that was too large for the
 * archive, and folders that a build would have to regenerate. It overwrites nothing; a repeat continues with the rest.
 */
export const fillFromTrash = ({ path, trashPath }: { path: string; trashPath: string | null }): void => {
  if (trashPath === null || !existsSync(trashPath)) return
  const fill = (folder: Bytes): void => {
    for (const name of readdirSync(pathIn(trashPath, folder), { encoding: 'latin1' })) {
      const inner = folder === '' ? name : `${folder}/${name}`
      if (inner === '.git') continue
      const there = lstatSync(pathIn(path, inner), { throwIfNoEntry: false })
      if (there === undefined) move(pathIn(trashPath, inner), pathIn(path, inner))
      else if (there.isDirectory() && lstatSync(pathIn(trashPath, inner)).isDirectory()) fill(inner)
    }
  }
  fill('')
}

/** On another file system the entry stays in the trash, because it can be regenerated. */
const move = (from: Buffer, to: Buffer): void => {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!['EXDEV', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
