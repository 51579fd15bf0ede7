import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { isRefusal, isUndecided, Refusal } from '../../domain/rules/refusal.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { lockIn } from '../git/git.ts'
import { movedTo, movingBack } from './admin.ts'

// Problems that keep a worktree from being built or inspected, each as a message that a person can act on.

/**
 * The reason why a worktree is not where it was built: its folder was deleted or moved, as git records it; undefined if
 * it is there. Starts no process.
 */
export const absenceOf = (
  common: string,
  { name, branch, path }: Pick<WorktreeWork, 'name' | 'branch' | 'path'>,
): string | undefined => {
  if (existsSync(path)) return undefined
  const moved = movedTo(common, { name, branch, path })
  return moved === undefined
    ? 'its folder is gone'
    : `its folder was moved to ${moved}; ${movingBack(moved, path)} moves it back`
}

/** The refusal for an error of building; undefined for a bug, and while nothing is decided, so that it is built again. */
export const buildRefusal = (error: unknown, { branch, path }: WorktreeWork): Refusal | undefined => {
  const refuse = (code: 'not_writable' | 'setup_failed' | 'git_failed', sentence: string): Refusal =>
    new Refusal(code, sentence, { cause: error })
  if (isRefusal(error) && lockIn(error) !== undefined) return error
  const said = error instanceof Error ? error.message : ''
  if (!isRefusal(error) && typeof (error as NodeJS.ErrnoException).code !== 'string') return undefined
  // The board does not answer, or another process builds it; or the work that it continues is out of reach for a while.
  if (isUndecided(error) || (isRefusal(error) && error.code === 'remote_unreachable')) return undefined
  if (isRefusal(error) && error.code !== 'git_failed') return error
  if (/\bENOSPC\b|\bEDQUOT\b|No space left on device|Disk quota exceeded/.test(said))
    return refuse('not_writable', `The disk of ${dirname(path)} is full; make room and try again.`)
  if (/\bE(ACCES|PERM|ROFS)\b|Permission denied|Read-only file system/.test(said))
    return refuse(
      'not_writable',
      `${dirname(path)} is not writable; change its permissions, or choose another folder with worktrees.path in .aiswarm/config.yaml.`,
    )
  // Git reports the end of a filter's program in several ways, depending on timing.
  if (isRefusal(error) && /\bfilter\b|subprocess|remote end hung up|packet write/.test(said))
    return refuse(
      'git_failed',
      `A git filter for files of ${branch} fails (${reasonIn(said)}); install its program, or remove it from your git configuration.`,
    )
  // Git does not say why it could not write; the reason is nearly always a full disk.
  if (/unable to (write|create) file|could not write/i.test(said))
    return refuse(
      'not_writable',
      `The files of ${branch} could not all be written below ${dirname(path)} (${reasonIn(said)}); make room on its disk and try again.`,
    )
  if (isRefusal(error)) return error
  return refuse('not_writable', `${path} could not be created: ${said}.`)
}

/** The first message after `git reset failed: `. */
const reasonIn = (said: string): string => said.replace(/^git \S+ failed: /, '').split(';')[0]!
