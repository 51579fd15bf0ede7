import type { NewTaskLog, TaskLogRow } from './schema.ts'
import type { Db } from './sqlite.ts'

export const insertTaskLog = async (db: Db, log: NewTaskLog): Promise<void> => {
  await db.insertInto('task_logs').values(log).execute()
}

export interface TaskLogFilter {
  readonly taskId?: number
  readonly agentId?: string
  /** Only rows after this id: how a follower goes on. */
  readonly afterId?: number
  /** The newest so many, oldest first. */
  readonly last?: number
}

export const selectTaskLogs = async (db: Db, filter: TaskLogFilter): Promise<readonly TaskLogRow[]> => {
  let query = db.selectFrom('task_logs').selectAll()
  if (filter.taskId !== undefined) query = query.where('task_id', '=', filter.taskId)
  if (filter.agentId !== undefined) query = query.where('agent_id', '=', filter.agentId)
  if (filter.afterId !== undefined) query = query.where('id', '>', filter.afterId)
  if (filter.last === undefined) return query.orderBy('id').execute()
  return (await query.orderBy('id', 'desc').limit(filter.last).execute()).reverse()
}
