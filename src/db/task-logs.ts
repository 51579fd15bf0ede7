import type { NewTaskLog, TaskLogRow } from './schema/tasks.ts'
import type { Db } from './engine/db.ts'
import { statement } from './engine/statement.ts'

export const insertTaskLog = async (db: Db, log: NewTaskLog): Promise<void> => {
  await db.insertInto('task_logs').values(log).execute()
}

export interface TaskLogFilter {
  readonly taskId?: number
  readonly agentId?: string
  /** Only rows after this id, for a follower. */
  readonly afterId?: number
  /** The newest so many, oldest first. */
  readonly last?: number
}

export const selectTaskLogs = async (db: Db, filter: TaskLogFilter): Promise<readonly TaskLogRow[]> => {
  const { rows } = await logsThat(db, filter)
  return filter.last === undefined ? rows : rows.reverse()
}

const logsThat = statement((db, { taskId, agentId, afterId, last }: TaskLogFilter) => {
  let query = db.selectFrom('task_logs').selectAll()
  if (taskId !== undefined) query = query.where('task_id', '=', taskId)
  if (agentId !== undefined) query = query.where('agent_id', '=', agentId)
  if (afterId !== undefined) query = query.where('id', '>', afterId)
  return last === undefined ? query.orderBy('id') : query.orderBy('id', 'desc').limit(last)
})
