import { selectAttempts } from '../../../db/attempts.ts'
import type { TaskRow } from '../../../db/tasks.ts'
import { LOST_ATTEMPTS_LIMIT, unavailableDelay } from '../../../domain/task/task.ts'
import { type Instant, later } from '../../../domain/words/time.ts'
import type { Context } from '../../perform/core.ts'
import { note, changeHeld } from './task-steps.ts'
import { pendingAgain, failed, close } from './end-attempt.ts'

/**
 * Makes a held task pending again without using up a retry: its agent died, was stopped, never started, or could not
 * work for a reason outside of the task. A task that loses agent after agent fails finally.
 */
export const releaseHeld = async (
  context: Context,
  task: TaskRow,
  release: { outcome: 'lost' | 'terminated' | 'not_started'; why: string } | Unavailable,
): Promise<void> => {
  const { db } = context
  const { outcome, why } = release
  const alike = counted.has(outcome)
    ? (await selectAttempts(db, task.id)).filter((attempt) => attempt.outcome === outcome).length + 1
    : 0
  if (alike >= LOST_ATTEMPTS_LIMIT && !('resetsAt' in release && release.resetsAt !== null)) {
    await changeHeld(
      context,
      task,
      failed(
        context,
        `${why} This was the ${alike}th attempt that ${outcome === 'lost' ? 'was lost' : 'ended this way'}.`,
      ),
    )
  } else {
    await changeHeld(context, task, {
      ...pendingAgain,
      not_before: dueAfter(context, release, alike),
      error_message: why,
    })
  }
  await note(context, task, 'warn', why)
  await close(context, task, outcome, why)
}

/** The agent's account or service failed; `resetsAt` is when it works again, if known. */
export interface Unavailable {
  readonly outcome: 'unavailable'
  readonly why: string
  readonly resetsAt: Instant | null
}

/** Outcomes that end a task if they repeat. */
const counted: ReadonlySet<string> = new Set(['lost', 'unavailable'])

/** A program that cannot be started, or an account that cannot be used, is not retried at once. */
const dueAfter = ({ now }: Context, release: { outcome: string } | Unavailable, alike: number): Instant | null => {
  if ('resetsAt' in release)
    return release.resetsAt !== null && release.resetsAt > now ? release.resetsAt : later(now, unavailableDelay(alike))
  return release.outcome === 'not_started' ? later(now, 30_000) : null
}
