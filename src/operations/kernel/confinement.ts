import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { Refusal } from '../../domain/refusal.ts'
import { isWithin } from '../../domain/worktree.ts'

/** Refuses paths that lie outside the agent's working folder, whatever links lead there. */
export const refuseOutside = (folder: string, paths: readonly string[]): void => {
  const outside = paths.find((path) => pathInside(folder, path) === undefined)
  if (outside !== undefined) throw new Refusal('outside_worktree', `The path ${outside} lies outside ${folder}; name paths inside your worktree.`)
}

/** Where a path leads to, seen from the folder; undefined where that is outside of it. */
export const pathInside = (folder: string, path: string): string | undefined => {
  if (path.includes('\0')) return undefined
  const root = realPath(folder)
  const real = realPath(resolve(folder, path))
  return isWithin(real, root) ? relative(root, real) : undefined
}

/** As many links as a system follows one after the other. */
const MOST_LINKS = 40

/** The real path of the nearest ancestor that exists, with the rest appended (DESIGN section 9). A link to what is not there yet leads there all the same. */
const realPath = (path: string, links = MOST_LINKS): string => {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    if (parent === path) return path
    const folder = realPath(parent, links)
    const target = linkAt(join(folder, basename(path)))
    if (target === undefined) return join(folder, basename(path))
    // Links in a ring lead nowhere, and so not inside.
    return links === 0 ? '/' : realPath(resolve(folder, target), links - 1)
  }
}

const linkAt = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
