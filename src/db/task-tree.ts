import { type ExpressionBuilder, sql } from 'kysely'
import type { TaskState } from '../domain/task/task.ts'
import type { Schema } from './schema/schema.ts'
import type { Db } from './engine/db.ts'
import { statement } from './engine/statement.ts'

// The dependencies as a tree: a task is below the last (by number) of its dependencies, so it appears once. A window of
// it takes some 260 steps, each a separate statement (9 ms, compiled once 2).

/** The task above this one in the tree; null for a root. */
export const selectStem = async (db: Db, id: number): Promise<number | null> =>
  (await stemOf(db, { id })).rows[0]?.stem ?? null

const stemOf = statement((db, { id }: { id: number }) =>
  db
    .selectFrom('task_dependencies')
    .where('task_id', '=', id)
    .select((eb) => eb.fn.max('depends_on').as('stem')),
)

/** As `selectStem` for all tasks with these numbers: 0 for a root. 2,000 of them take 1 ms. */
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

/** The nearest task, after or before this number, with the same task above it; among the roots if that is null. */
export const selectBranch = async (
  db: Db,
  stem: number | null,
  side: 'after' | 'before',
  id: number,
): Promise<number | null> =>
  (stem === null ? await nextRoot[side](db, { id }) : await nextBranch[side](db, { stem, id })).rows[0]?.id ?? null

const rootTo = (sign: '>' | '<', order: 'asc' | 'desc') =>
  statement((db, { id }: { id: number }) =>
    db
      .selectFrom('tasks')
      .where('id', sign, id)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('task_dependencies')
              .whereRef('task_dependencies.task_id', '=', 'tasks.id')
              .select('task_dependencies.task_id'),
          ),
        ),
      )
      .orderBy('id', order)
      .select('id')
      .limit(sql.lit(1)),
  )

const branchTo = (sign: '>' | '<', order: 'asc' | 'desc') =>
  statement((db, { stem, id }: { stem: number; id: number }) =>
    db
      .selectFrom('task_dependencies')
      .where('task_dependencies.depends_on', '=', stem)
      .where('task_dependencies.task_id', sign, id)
      .where(hangsHere)
      .orderBy('task_dependencies.task_id', order)
      .select('task_dependencies.task_id as id')
      .limit(sql.lit(1)),
  )

const nextRoot = { after: rootTo('>', 'asc'), before: rootTo('<', 'desc') } as const
const nextBranch = { after: branchTo('>', 'asc'), before: branchTo('<', 'desc') } as const

function hangsHere(eb: ExpressionBuilder<Schema, 'task_dependencies'>) {
  return eb.not(
    eb.exists(
      eb
        .selectFrom('task_dependencies as later')
        .whereRef('later.task_id', '=', 'task_dependencies.task_id')
        .whereRef('later.depends_on', '>', 'task_dependencies.depends_on')
        .select('later.task_id'),
    ),
  )
}

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
