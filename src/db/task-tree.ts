import { sql } from 'kysely'
import type { TaskState } from '../domain/task/task.ts'
import type { Db } from './engine/db.ts'

/** The task above each of these tasks in the tree (see task-walk.ts), 0 for a root. 2,000 of them take 1 ms. */
export const selectStems = (
  db: Db,
  from: number,
  span: number,
): Promise<readonly { readonly id: number; readonly stem: number }[]> =>
  db
    .selectFrom('tasks')
    .where('id', '>=', from)
    .where('id', '<', from + span)
    .select((eb) => [
      'tasks.id',
      eb.fn
        .coalesce(
          eb
            .selectFrom('task_dependencies')
            .whereRef('task_id', '=', 'tasks.id')
            .select(({ fn }) => fn.max('depends_on').as('stem')),
          sql.lit(0),
        )
        .as('stem'),
    ])
    .orderBy('id')
    .execute()

export interface DependencyRow {
  readonly task_id: number
  readonly depends_on: number
  readonly status: TaskState
  readonly needed: TaskState
}

/** Dependencies after this one in the order of their numbers, with the states of both tasks: one page. */
export const selectDependencyPage = (
  db: Db,
  after: { readonly taskId: number; readonly dependsOn: number },
  limit: number,
): Promise<readonly DependencyRow[]> =>
  db
    .selectFrom('task_dependencies')
    .innerJoin('task_status as own', 'own.task_id', 'task_dependencies.task_id')
    .innerJoin('task_status as other', 'other.task_id', 'task_dependencies.depends_on')
    // Compared as a row value, because SQLite uses its index for that, whereas it would read all earlier rows for an
    // OR.
    .where((eb) =>
      eb(
        eb.refTuple('task_dependencies.task_id', 'task_dependencies.depends_on'),
        '>',
        eb.tuple(after.taskId, after.dependsOn),
      ),
    )
    .orderBy('task_dependencies.task_id')
    .orderBy('task_dependencies.depends_on')
    .select(['task_dependencies.task_id', 'task_dependencies.depends_on', 'own.status', 'other.status as needed'])
    .limit(limit)
    .execute()
