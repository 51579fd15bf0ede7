import type { TaskState } from '../domain/task/task.ts'
import type { TaskStatusRow } from './schema/tasks.ts'
import type { Db } from './engine/db.ts'
import { statement } from './engine/statement.ts'

/** Stores the partial result of an attempt that did not complete its task. */
export const changeResult = async (
  db: Db,
  taskId: number,
  result: Pick<TaskStatusRow, 'result_data' | 'artifacts'>,
): Promise<void> => {
  await db.updateTable('task_status').set(result).where('task_id', '=', taskId).execute()
}

/** The number of tasks in each state, from a table maintained by triggers, without a scan. */
export const countByStatus = async (db: Db): Promise<Record<TaskState, number>> => {
  const rows = await db.selectFrom('task_counts').select(['status', 'tasks']).execute()
  const counts: Record<TaskState, number> = {
    pending: 0,
    claimed: 0,
    in_progress: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
  }
  for (const row of rows) counts[row.status] = row.tasks
  return counts
}

/** The expected row of a state change: its state and, for a held task, the fence (attempt, agent). */
export interface Expected {
  readonly status: TaskState
  readonly attempt: number
  readonly agentId?: string
}

/** The only writer of task_status: a compare-and-set. False if another process was faster or the lease is lost. */
export const changeStatus = async (
  db: Db,
  taskId: number,
  expected: Expected,
  change: Partial<Omit<TaskStatusRow, 'task_id'>>,
): Promise<boolean> => {
  const { numAffectedRows } = await compareAndSet(db, {
    ...change,
    taskId,
    ofStatus: expected.status,
    ofAttempt: expected.attempt,
    ofAgent: expected.agentId,
  })
  return numAffectedRows === 1n
}

type Comparison = Partial<Omit<TaskStatusRow, 'task_id'>> & {
  taskId: number
  ofStatus: TaskState
  ofAttempt: number
  ofAgent: string | undefined
}

const compareAndSet = statement((db, { taskId, ofStatus, ofAttempt, ofAgent, ...change }: Comparison) => {
  const update = db
    .updateTable('task_status')
    .set(change)
    .where('task_id', '=', taskId)
    .where('status', '=', ofStatus)
    .where('attempt', '=', ofAttempt)
  return ofAgent === undefined ? update : update.where('assigned_agent_id', '=', ofAgent)
})
