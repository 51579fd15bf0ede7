import { z } from 'zod'
import { selectTasks } from '../../db/tasks.ts'
import type { Db } from '../../db/sqlite.ts'
import { type EndedTask, endedAmong } from '../../domain/hooks.ts'

/** A task that an operation brought to its end; one that is to be tried again is none. */
export const endedTask = z.object({ taskId: z.int(), attempt: z.int(), status: z.enum(['completed', 'failed']) })

/** Which of the tasks that an operation has just let go of are at their end: the operation's event tells it. */
export const endedOf = async (db: Db, ids: readonly number[]): Promise<EndedTask[]> => (ids.length === 0 ? [] : endedAmong(await selectTasks(db, { ids })))

/** A task that is to be tried again, and not before when. */
export const waitingTask = z.object({ taskId: z.int(), until: z.string() })
export type WaitingTask = z.output<typeof waitingTask>

/** Which of these wait for their retry now: nothing but the event of what put them back tells until when, once they are tried. */
export const waitingAmong = (tasks: readonly { readonly id: number; readonly status: string; readonly notBefore: string | null }[]): WaitingTask[] =>
  tasks.flatMap(({ id, status, notBefore }) => (status === 'pending' && notBefore !== null ? [{ taskId: id, until: notBefore }] : []))

export const waitingOf = async (db: Db, ids: readonly number[]): Promise<WaitingTask[]> =>
  ids.length === 0 ? [] : waitingAmong((await selectTasks(db, { ids })).map(({ id, status, not_before }) => ({ id, status, notBefore: not_before })))
