import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Tip } from './heads.ts'
import type { Scratch, Where } from './scratch.ts'
import type { Entry } from './uncommitted.ts'

// `--branch` and `--verbose` make sure that there is output: simple-git waits 50 ms after a command without any.

/**
 * A git folder for this worktree alone: its tip as HEAD, a copy of its index, and the rest from the scratch repository.
 */
export const privateIndex = (scratch: Scratch, path: string, index: string, tip: Tip, folder: string): Where => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'HEAD'), `${tip.oid}\n`)
  writeFileSync(join(folder, 'commondir'), `${scratch.folder}\n`)
  const copy = join(folder, 'index')
  if (existsSync(index)) {
    const { atimeMs, mtimeMs } = statSync(index)
    copyFileSync(index, copy)
    // Git compares file times with the time of the index to find changed files; a later time would hide them.
    utimesSync(copy, atimeMs / 1000, Math.floor(mtimeMs) / 1000)
    // A split index names its shared part.
    for (const name of readdirSync(dirname(index)).filter((name) => name.startsWith('sharedindex.')))
      copyFileSync(join(dirname(index), name), join(folder, name))
  }
  return { GIT_DIR: folder, GIT_WORK_TREE: path, GIT_INDEX_FILE: copy }
}

/** The lines of git's status, for a worktree whose index is private. */
export const statusOf = async (scratch: Scratch, where: Where): Promise<readonly Entry[]> => {
  const { stdout } = await scratch.run(
    [
      'status',
      '--porcelain=v1',
      '--branch',
      '-z',
      '--no-renames',
      '--untracked-files=all',
      '--ignore-submodules=dirty',
    ],
    where,
  )
  return stdout
    .split('\0')
    .filter((entry) => entry !== '' && !entry.startsWith('## '))
    .map((entry) => ({ code: entry.slice(0, 2), name: entry.slice(3) }))
}

/** Has these files in the index as they are in the commit, whatever was staged. */
export const asCommitted = async (
  scratch: Scratch,
  where: Where,
  { oid }: Tip,
  names: readonly string[],
): Promise<void> => {
  const input = names.map((name) => `${name}\0`).join('')
  const paths = ['--pathspec-from-file=-', '--pathspec-file-nul']
  await scratch.run(['--literal-pathspecs', 'reset', '--quiet', ...paths, oid], where, { input })
}

/** The tree of the index after these changes to it. */
export const treeWith = async (
  scratch: Scratch,
  where: Where,
  { removed, added }: { removed: readonly string[]; added: readonly string[] },
): Promise<string> => {
  const list = (some: readonly string[]): string => some.map((name) => `${name}\0`).join('')
  if (removed.length > 0)
    await scratch.run(['update-index', '--verbose', '-z', '--force-remove', '--stdin'], where, { input: list(removed) })
  if (added.length > 0)
    await scratch.run(['update-index', '--verbose', '--add', '--remove', '--replace', '-z', '--stdin'], where, {
      input: list(added),
    })
  return (await scratch.run(['write-tree'], where)).stdout.trim()
}
