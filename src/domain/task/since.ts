import type { Instant } from '../words/time.ts'
import { enteredAt } from './filter.ts'
import type { TaskState } from './task.ts'

export interface TaskTimes {
  readonly status: TaskState
  readonly changedAt: Instant
  /** When its last dependency was completed; null while it is blocked, and if it has no dependency. */
  readonly unblockedAt: Instant | null
  readonly notBefore: Instant | null
  readonly claimedAt: Instant | null
  readonly startedAt: Instant | null
  readonly completedAt: Instant | null
}

export const taskSince = (task: TaskTimes, now: Instant): Instant =>
  task.status === 'pending' ? pendingSince(task, now) : (task[enteredAt[task.status]] ?? task.changedAt)

/** Blocked, waiting for a retry and ready are all pending: the latest of these times began the present one. */
const pendingSince = ({ changedAt, unblockedAt, notBefore }: TaskTimes, now: Instant): Instant => {
  const ready = [unblockedAt, notBefore !== null && notBefore <= now ? notBefore : null]
  return ready.reduce<Instant>((latest, at) => (at !== null && at > latest ? at : latest), changedAt)
}
