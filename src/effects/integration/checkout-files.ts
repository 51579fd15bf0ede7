import { lstatSync, rmdirSync, unlinkSync } from 'node:fs'

export const remove = (folder: string, path: string): void => {
  const file = fileOf(folder, path)
  const stat = statOf(file)
  if (stat === undefined || stat.isDirectory()) return
  unlinkSync(file)
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    if (!removeFolder(fileOf(folder, path.slice(0, end)))) return
}

export const removeEmptyFolder = (folder: string, path: string): void => {
  if (statOf(fileOf(folder, path))?.isDirectory()) removeFolder(fileOf(folder, path))
}

/** False if it is not empty, or not a folder. */
const removeFolder = (path: Buffer): boolean => {
  try {
    rmdirSync(path)
    return true
  } catch {
    return false
  }
}

export const fileOf = (folder: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')])

export const statOf = (file: Buffer) => {
  try {
    return lstatSync(file)
  } catch {
    // ENOTDIR: a file has replaced one of its parent folders.
    return undefined
  }
}
