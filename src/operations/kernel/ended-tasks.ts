import { z } from 'zod'
import { selectTasks } from '../../db/tasks.ts'
import type { Db } from '../../db/sqlite.ts'
import { type EndedTask, endedAmong } from '../../domain/hooks.ts'

/** A task that an operation brought to its end; one that is to be tried again is none. */
export const endedTask = z.object({ taskId: z.int(), attempt: z.int(), status: z.enum(['completed', 'failed']) })

/** Which of the tasks that an operation has just let go of are at their end: the operation's event tells it. */
export const endedOf = async (db: Db, ids: readonly number[]): Promise<EndedTask[]> => (ids.length === 0 ? [] : endedAmong(await selectTasks(db, { ids })))
