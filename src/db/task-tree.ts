import type { ExpressionBuilder } from 'kysely'
import type { TaskState } from '../domain/task.ts'
import type { Schema } from './schema.ts'
import type { Db } from './sqlite.ts'

// The dependencies as a tree: a task hangs below the last (by number) of those it depends on, so it stands in it once.

/** The task below which this one hangs; null for a root. */
export const selectStem = async (db: Db, id: number): Promise<number | null> =>
  (
    await db
      .selectFrom('task_dependencies')
      .where('task_id', '=', id)
      .select((eb) => eb.fn.max('depends_on').as('stem'))
      .executeTakeFirst()
  )?.stem ?? null

/** The nearest task, after or before this number, that hangs below the same task; among the roots where that is null. */
export const selectBranch = async (db: Db, stem: number | null, side: 'after' | 'before', id: number): Promise<number | null> => {
  const [sign, order] = side === 'after' ? (['>', 'asc'] as const) : (['<', 'desc'] as const)
  if (stem === null) {
    const root = await db
      .selectFrom('tasks')
      .where('id', sign, id)
      .where((eb) => eb.not(eb.exists(eb.selectFrom('task_dependencies').whereRef('task_dependencies.task_id', '=', 'tasks.id').select('task_dependencies.task_id'))))
      .orderBy('id', order)
      .select('id')
      .limit(1)
      .executeTakeFirst()
    return root?.id ?? null
  }
  const branch = await db
    .selectFrom('task_dependencies')
    .where('task_dependencies.depends_on', '=', stem)
    .where('task_dependencies.task_id', sign, id)
    .where(hangsHere)
    .orderBy('task_dependencies.task_id', order)
    .select('task_dependencies.task_id')
    .limit(1)
    .executeTakeFirst()
  return branch?.task_id ?? null
}

const hangsHere = (eb: ExpressionBuilder<Schema, 'task_dependencies'>) =>
  eb.not(
    eb.exists(
      eb
        .selectFrom('task_dependencies as later')
        .whereRef('later.task_id', '=', 'task_dependencies.task_id')
        .whereRef('later.depends_on', '>', 'task_dependencies.depends_on')
        .select('later.task_id'),
    ),
  )

export interface DependencyRow {
  readonly task_id: number
  readonly depends_on: number
  readonly status: TaskState
  readonly needed: TaskState
}

/** Dependencies behind this one in the order of their numbers, with the states of both tasks: a page of all there are. */
export const selectDependencyPage = (db: Db, after: { readonly taskId: number; readonly dependsOn: number }, limit: number): Promise<readonly DependencyRow[]> =>
  db
    .selectFrom('task_dependencies')
    .innerJoin('task_status as own', 'own.task_id', 'task_dependencies.task_id')
    .innerJoin('task_status as other', 'other.task_id', 'task_dependencies.depends_on')
    .where((eb) =>
      eb.or([
        eb('task_dependencies.task_id', '>', after.taskId),
        eb.and([eb('task_dependencies.task_id', '=', after.taskId), eb('task_dependencies.depends_on', '>', after.dependsOn)]),
      ]),
    )
    .orderBy('task_dependencies.task_id')
    .orderBy('task_dependencies.depends_on')
    .select(['task_dependencies.task_id', 'task_dependencies.depends_on', 'own.status', 'other.status as needed'])
    .limit(limit)
    .execute()
