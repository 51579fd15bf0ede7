import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isRefusal, Refusal } from '../../../domain/rules/refusal.ts'
import { type Bytes, bytesOf } from '../../files/entries.ts'
import { git } from '../../git/git.ts'

/** A line of the index: the staged content, and the file's size and time when it last matched. */
export interface Staged {
  readonly path: Bytes
  readonly mode: string
  readonly oid: string
  /** Above 0 while there is a conflict. */
  readonly stage: string
  /** Seconds and nanoseconds. */
  readonly modified: string
  readonly size: number
  /** True if a sparse checkout leaves the file out, so that it does not count as deleted. */
  readonly skipped: boolean
}

/** The index of a worktree, empty if it has none. Refuses an index that git cannot read. */
export const readIndex = async (root: string, admin: string): Promise<readonly Staged[]> => {
  const file = join(admin, 'index')
  if (!existsSync(file)) return []
  const out = await readable(
    file,
    git(root, ['ls-files', '--stage', '--debug', '-z'], {
      environment: { GIT_INDEX_FILE: file },
      config: asItStands,
      timeout: 600_000,
    }),
  )
  return [...out.matchAll(line)].map(
    ([, mode = '', oid = '', stage = '', path = '', modified = '', size = '0', flags = '0']) => ({
      path: bytesOf(path),
      mode,
      oid,
      stage,
      modified,
      size: Number(size),
      skipped: (parseInt(flags, 16) & SKIPPED) !== 0,
    }),
  )
}

const line =
  /(\d{6}) ([0-9a-f]+) (\d)\t([^\0]+)\0 {2}ctime: \d+:\d+\n {2}mtime: (\d+:\d+)\n {2}dev: .*\n {2}uid: .*\n {2}size: (\d+)\tflags: ([0-9a-f]+)\n/g

/**
 * Otherwise git looks for skipped files in the main checkout and treats the ones it finds there as files of the
 * worktree.
 */
const asItStands = ['sparse.expectFilesOutsideOfPatterns=true']

/** The flag in git's index for a file that a sparse checkout leaves out. */
const SKIPPED = 0x40000000

const readable = async (file: string, answer: Promise<string>): Promise<string> => {
  try {
    return await answer
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new Refusal(
      'archive_failed',
      `git cannot read its index ${file} (${error.message.replace(/^git ls-files failed: /, '').replace(/\.$/, '')}); fix it, or delete it together with what is staged only there`,
      {
        cause: error,
      },
    )
  }
}

/** A line of a commit's tree. */
export interface Listed {
  readonly path: Bytes
  readonly mode: string
  readonly oid: string
}

/** Every file of a commit. */
export const listTree = async (root: string, commit: string | null): Promise<readonly Listed[]> => {
  if (commit === null) return []
  const out = await git(root, ['ls-tree', '-r', '-z', '--end-of-options', commit], { timeout: 600_000 })
  return out
    .split('\0')
    .filter(Boolean)
    .map((entry) => {
      const [mode = '', , oid = ''] = entry.slice(0, entry.indexOf('\t')).split(' ')
      return { path: bytesOf(entry.slice(entry.indexOf('\t') + 1)), mode, oid }
    })
}
