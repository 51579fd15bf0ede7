import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { isRefusal, Refusal } from '../domain/refusal.ts'
import type { WorktreeWork } from '../operations/read-wishes.ts'
import { movedTo, movingBack } from './archive/admin.ts'

// What can keep a worktree from being built or looked at, each as words that a person can act on.

/** Why a worktree is not where it was built: its folder is gone, or stands elsewhere, as git knows; undefined where it stands. Starts no process. */
export const absenceOf = (common: string, { name, branch, path }: Pick<WorktreeWork, 'name' | 'branch' | 'path'>): string | undefined => {
  if (existsSync(path)) return undefined
  const moved = movedTo(common, { name, branch, path })
  return moved === undefined ? 'its folder is gone' : `its folder was moved to ${moved}; ${movingBack(moved, path)} moves it back`
}

/** The refusal that an error of building means; undefined for a mistake in this program. */
export const buildRefusal = (error: unknown, { branch, path }: WorktreeWork): Refusal | undefined => {
  const refuse = (code: 'not_writable' | 'setup_failed' | 'git_failed', sentence: string): Refusal => new Refusal(code, sentence, { cause: error })
  const lock = lockIn(error)
  if (lock !== undefined)
    return refuse('git_failed', `${lock} exists, so another git is at work or one has crashed; wait for it, or remove that file where none runs, and try again.`)
  const said = error instanceof Error ? error.message : ''
  if (!isRefusal(error) && typeof (error as NodeJS.ErrnoException).code !== 'string') return undefined
  // Another process builds it now, or has.
  if (isRefusal(error) && error.code === 'role_lost') return undefined
  if (isRefusal(error) && error.code !== 'git_failed') return error
  if (/\bENOSPC\b|\bEDQUOT\b|No space left on device|Disk quota exceeded/.test(said))
    return refuse('not_writable', `The disk of ${dirname(path)} is full; make room and try again.`)
  if (/\bE(ACCES|PERM|ROFS)\b|Permission denied|Read-only file system/.test(said))
    return refuse('not_writable', `${dirname(path)} cannot be written; allow it, or choose another folder with worktrees.path in .aiswarm/config.yaml.`)
  // The end of a filter's program is told in one of several ways, as chance has it.
  if (isRefusal(error) && /\bfilter\b|subprocess|remote end hung up|packet write/.test(said))
    return refuse('git_failed', `A filter that files of ${branch} pass through fails (${reasonIn(said)}); install its program, or take it out of your git configuration.`)
  // git does not say why it could not write; it is nearly always the room.
  if (/unable to (write|create) file|could not write/i.test(said))
    return refuse('not_writable', `The files of ${branch} could not all be written below ${dirname(path)} (${reasonIn(said)}); make room on its disk and try again.`)
  if (isRefusal(error)) return error
  return refuse('not_writable', `${path} could not be made: ${said}.`)
}

/** What was said first behind `git reset failed: `. */
const reasonIn = (said: string): string => said.replace(/^git \S+ failed: /, '').split(';')[0]!

/** The lock file that kept git from its work, if one did. */
export const lockIn = (error: unknown): string | undefined =>
  isRefusal(error) && error.code === 'git_failed' ? /Unable to create '([^']+\.lock)': File exists/.exec(error.message)?.[1] : undefined
