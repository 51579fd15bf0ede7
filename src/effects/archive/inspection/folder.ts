import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../../domain/rules/refusal.ts'

/** Refuses anything that has replaced the folder: a link would lead outside the worktree. */
export const isFolder = (path: string): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isDirectory()) return stats !== undefined
  throw new Refusal(
    'archive_failed',
    stats.isSymbolicLink()
      ? `${path} is now a symbolic link to ${readlinkSync(path)}`
      : `${path} is no longer a folder`,
  )
}

export const gitFileOf = (folder: string): string | null => {
  const path = join(folder, '.git')
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  return stats?.isFile() ? readFileSync(path, 'latin1') : null
}
