import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Refusal } from '../../domain/refusal.ts'
import { isWithin } from '../../domain/worktree.ts'

/** Refuses paths that lie outside the agent's working folder, whatever links lead there. */
export const refuseOutside = (folder: string, paths: readonly string[]): void => {
  const root = realPath(folder)
  const outside = paths.find((path) => path.includes('\0') || !isWithin(realPath(resolve(folder, path)), root))
  if (outside !== undefined) throw new Refusal('outside_worktree', `The path ${outside} lies outside ${folder}; name paths inside your worktree.`)
}

/** The real path of the nearest ancestor that exists, with the rest appended (DESIGN section 9). */
const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}
