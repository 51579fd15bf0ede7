import { someOf } from '../../domain/words/counts.ts'
import { firstLineOf, git } from '../git/git.ts'
import { changedPaths } from '../git/working-tree.ts'
import type { Move } from './move.ts'

/** Messages of git before it touches the first file; any other failure may have stopped it in between. */
export const refusals =
  /would be (?:overwritten|removed)|not uptodate|would lose|overlaps with|cannot checkout new HEAD|resolve your current index|Refusing to remove/

/** Names all paths that git would overwrite; git itself names only the first. */
export const whyRefused = async (folder: string, { target, from, to }: Move, stderr: string): Promise<string> => {
  const changed = new Set(
    (await git(folder, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to])).split('\0').filter(Boolean),
  )
  const isInTheWay = (path: string): boolean =>
    changed.has(path) ||
    [...changed].some((other) => other.startsWith(`${path.replace(/\/$/, '')}/`) || path.startsWith(`${other}/`))
  const files = (await changedPaths(folder, { ignored: true })).map(({ path }) => path).filter(isInTheWay)
  const overlooked = /Entry '(.+)' not uptodate/.exec(stderr)?.[1]
  if (files.length === 0 && overlooked !== undefined)
    return `${overlooked} has changes that git is configured to skip, so ${target} could not be moved in ${folder}. Make git see them ('git update-index --no-assume-unchanged --no-skip-worktree' with its name), commit or stash them, then approve again.`
  if (files.length === 0) return `${target} could not be moved in ${folder}: ${firstLineOf(stderr)}.`
  return inTheWay(folder, { target }, files)
}

export const inTheWay = (folder: string, { target }: Pick<Move, 'target'>, files: readonly string[]): string => {
  return `${someOf(files, 5)} would be overwritten, so ${target} could not be moved in ${folder}. Commit or stash what you changed there, then approve again.`
}
