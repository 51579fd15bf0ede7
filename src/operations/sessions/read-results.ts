import { z } from 'zod'
import { selectNewestLogs } from '../../db/task-logs.ts'
import { selectTasks, type TaskRow } from '../../db/tasks.ts'
import type { Db } from '../../db/engine/db.ts'
import { isHeld, taskStates } from '../../domain/task/task.ts'
import { elapsed } from '../../domain/words/time.ts'
import { operation } from '../perform/operation.ts'
import { taskLogView, viewTaskLog } from '../views/tasks.ts'
import { readRemainingWork } from './read-remaining-work.ts'
import { lazyObject } from '../perform/schemas.ts'

/** The most notes of a task in a report, the newest first. */
const NOTES = 20

const result = lazyObject(() => ({
  id: z.int(),
  title: z.string(),
  personaId: z.string(),
  status: z.enum(taskStates),
  attempt: z.int(),
  /** Of the last attempt, up to now. */
  seconds: z.number(),
  /** The error of its failure. */
  error: z.string().nullable(),
  /** The reason why it has no result: its dependencies, the agent that holds it, or the reason of its cancellation. */
  without: z.string().nullable(),
  notes: z.array(taskLogView()),
}))
export type Result = z.output<ReturnType<typeof result>>

export const readResults = operation({
  name: 'read_results',
  summary: 'Read the tasks that changed since a moment, and the unfinished ones',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ since: z.string() }),
  output: () => z.array(result()),
  run: async (context, { since }) => {
    const { db, now } = context
    const waiting = new Map((await readRemainingWork.run(context, {})).waiting.map(({ taskId, why }) => [taskId, why]))
    const tasks = await selectThose(db, since)
    const logs = await selectNewestLogs(
      db,
      tasks.map(({ id }) => id),
      NOTES,
    )
    return tasks.map((task) => {
      const end = task.completed_at ?? now
      const start = task.claimed_at ?? task.started_at
      return {
        id: task.id,
        title: task.title,
        personaId: task.persona_id,
        status: task.status,
        attempt: task.attempt,
        seconds: start === null ? 0 : Math.max(0, elapsed(start, end) / 1000),
        error: task.status === 'failed' ? (task.error_message ?? 'failed') : null,
        without: withoutResult(task, waiting),
        notes: (logs.get(task.id) ?? []).map(viewTaskLog),
      }
    })
  },
})

const selectThose = async (db: Db, since: string): Promise<readonly TaskRow[]> => {
  const all = [
    ...(await selectTasks(db, { changedSince: since })),
    ...(await selectTasks(db, { statuses: ['pending', 'claimed', 'in_progress'] })),
  ]
  return [...new Map(all.map((task) => [task.id, task])).values()].sort((one, other) => one.id - other.id)
}

const withoutResult = (task: TaskRow, waiting: ReadonlyMap<number, string>): string | null => {
  if (task.status === 'cancelled') return task.error_message === null ? 'cancelled' : `cancelled: ${task.error_message}`
  if (isHeld(task.status)) return `${task.assigned_agent_id} is still working on it`
  return task.status === 'pending' ? (waiting.get(task.id) ?? 'it is waiting for its turn') : null
}
