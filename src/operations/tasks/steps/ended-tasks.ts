import { z } from 'zod'
import { selectTasks } from '../../../db/tasks.ts'
import type { Db } from '../../../db/engine/db.ts'
import { type EndedTask, endedAmong } from '../../../domain/settings/hooks.ts'
import { lazyObject } from '../../perform/schemas.ts'

/** A task that an operation has ended; not one that will be retried. */
export const endedTask = lazyObject(() => ({
  taskId: z.int(),
  attempt: z.int(),
  status: z.enum(['completed', 'failed']),
}))

/** The tasks that have ended among those that an operation has just released, for its event. */
export const endedOf = async (db: Db, ids: readonly number[]): Promise<EndedTask[]> =>
  ids.length === 0 ? [] : endedAmong(await selectTasks(db, { ids }))

/** A task that will be retried, and the earliest time. */
export const waitingTask = lazyObject(() => ({ taskId: z.int(), until: z.string() }))
export type WaitingTask = z.output<ReturnType<typeof waitingTask>>

/** Those that wait for their retry now; after the retry only the event tells until when they waited. */
export const waitingAmong = (
  tasks: readonly { readonly id: number; readonly status: string; readonly notBefore: string | null }[],
): WaitingTask[] =>
  tasks.flatMap(({ id, status, notBefore }) =>
    status === 'pending' && notBefore !== null ? [{ taskId: id, until: notBefore }] : [],
  )

export const waitingOf = async (db: Db, ids: readonly number[]): Promise<WaitingTask[]> =>
  ids.length === 0
    ? []
    : waitingAmong(
        (await selectTasks(db, { ids })).map(({ id, status, not_before }) => ({ id, status, notBefore: not_before })),
      )
