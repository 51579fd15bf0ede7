import { existsSync, lstatSync, readdirSync, renameSync } from 'node:fs'
import { type Bytes, pathIn } from './bytes.ts'

/**
 * Moves what a restored folder lacks from the trash, where it still is: what was too large for the archive, and what a
 * build would have to make again. Nothing that is there is touched; done again it goes on with the rest.
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

/** On another file system it stays where it is: what it is good for can be made again, and the trash keeps the rest. */
const move = (from: Buffer, to: Buffer): void => {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!['EXDEV', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
