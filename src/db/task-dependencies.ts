import type { TaskState } from '../domain/task/task.ts'
import type { Instant } from '../domain/words/time.ts'
import { type Db, statement } from './engine/db.ts'

export const insertDependencies = async (db: Db, taskId: number, dependencies: readonly number[]): Promise<void> => {
  if (dependencies.length === 0) return
  await db
    .insertInto('task_dependencies')
    .values(dependencies.map((depends_on) => ({ task_id: taskId, depends_on })))
    .execute()
}

/** Replaces all dependencies of a task. */
export const replaceDependencies = async (db: Db, taskId: number, dependencies: readonly number[]): Promise<void> => {
  await db.deleteFrom('task_dependencies').where('task_id', '=', taskId).execute()
  await insertDependencies(db, taskId, dependencies)
}

/** A dependency of a task, and whether it still blocks it. */
export interface NeededTask {
  readonly task_id: number
  readonly depends_on: number
  readonly status: TaskState
  readonly completed_at: Instant | null
}

/** Dependencies of each of the tasks. */
export const selectDependencies = async (db: Db, ids: readonly number[]): Promise<readonly NeededTask[]> => {
  if (ids.length === 0) return []
  return (await dependenciesOf(db, { ids })).rows
}

const dependenciesOf = statement((db, { ids }: { ids: readonly number[] }) =>
  db
    .selectFrom('task_dependencies')
    .innerJoin('task_status', 'task_status.task_id', 'task_dependencies.depends_on')
    .where('task_dependencies.task_id', 'in', ids)
    .select([
      'task_dependencies.task_id',
      'task_dependencies.depends_on',
      'task_status.status',
      'task_status.completed_at',
    ])
    .orderBy('task_dependencies.depends_on'),
)

/** Ids of the dependencies of one task that are not completed. */
export const selectBlockers = async (db: Db, taskId: number): Promise<readonly number[]> =>
  (await blockersOf(db, { taskId })).rows.map((row) => row.depends_on)

const blockersOf = statement((db, { taskId }: { taskId: number }) =>
  db
    .selectFrom('task_dependencies')
    .innerJoin('task_status', 'task_status.task_id', 'task_dependencies.depends_on')
    .where('task_dependencies.task_id', '=', taskId)
    .where('task_status.status', '<>', 'completed')
    .select('task_dependencies.depends_on')
    .orderBy('task_dependencies.depends_on'),
)

/** Tasks that depend on this one. */
export const selectDependents = async (db: Db, id: number): Promise<readonly number[]> =>
  (
    await db.selectFrom('task_dependencies').where('depends_on', '=', id).select('task_id').orderBy('task_id').execute()
  ).map((row) => row.task_id)
