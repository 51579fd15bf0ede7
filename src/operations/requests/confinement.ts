import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { selectWorktree } from '../../db/worktrees.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { isWithin } from '../../domain/worktree/worktree.ts'
import type { Context } from '../perform/core.ts'

/** The folder to which work is confined, in a worktree or without one. */
export const workingFolder = async (
  { db, root }: Pick<Context, 'db' | 'root'>,
  worktree: string | null,
): Promise<string> => (worktree === null ? root : ((await selectWorktree(db, worktree))?.path ?? root))

/** Refuses paths outside the agent's working folder, with links resolved. */
export const refuseOutside = (folder: string, paths: readonly string[]): void => {
  const outside = paths.find((path) => pathInside(folder, path) === undefined)
  if (outside !== undefined)
    throw new Refusal('outside_worktree', `The path ${outside} is outside ${folder}. Name paths inside your worktree.`)
}

/** The target of a path relative to the folder; undefined if it is outside. */
export const pathInside = (folder: string, path: string): string | undefined => {
  if (path.includes('\0')) return undefined
  const root = realPath(folder)
  const real = realPath(resolve(folder, path))
  return isWithin(real, root) ? relative(root, real) : undefined
}

/** As many links as a system follows in a row. */
const MOST_LINKS = 40

/** The real path of the nearest ancestor that exists, with the rest appended. A dangling link counts as its target. */
const realPath = (path: string, links = MOST_LINKS): string => {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    if (parent === path) return path
    const folder = realPath(parent, links)
    const target = linkAt(join(folder, basename(path)))
    if (target === undefined) return join(folder, basename(path))
    // A cycle of links has no target, and therefore none inside.
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
