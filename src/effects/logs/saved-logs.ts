import { randomUUID } from 'node:crypto'
import { link, mkdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { maskSecrets } from '../../domain/words/secrets.ts'
import { logsFolder } from '../files/places.ts'

/**
 * Saves logs on a person's request to a new file, with secrets masked, and returns its path. It never replaces a file.
 */
export const saveLog = async (root: string, name: string, text: string): Promise<string> => {
  const folder = join(logsFolder(root), 'saved')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const unfinished = join(folder, `.${randomUUID()}`)
  await writeFile(unfinished, maskSecrets(text), { mode: 0o600, flag: 'wx' })
  try {
    for (let n = 1; ; n++) {
      const path = join(folder, n === 1 ? `${name}.log` : `${name}-${n}.log`)
      try {
        await link(unfinished, path)
        return path
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
    }
  } finally {
    await unlink(unfinished)
  }
}
