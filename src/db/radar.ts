import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'
import type { RadarConflictRow } from './schema/worktrees.ts'

type Pair = Pick<RadarConflictRow, 'worktree' | 'other' | 'with_target'>

/** Open conflicts: all, or those of one worktree. */
export const selectOpenConflicts = async (db: Db, worktree?: string): Promise<readonly RadarConflictRow[]> => {
  let query = db.selectFrom('radar_conflicts').selectAll().where('resolved_at', 'is', null)
  if (worktree !== undefined)
    query = query.where((eb) =>
      eb.or([eb('worktree', '=', worktree), eb.and([eb('other', '=', worktree), eb('with_target', '=', 0)])]),
    )
  return query.orderBy('with_target', 'desc').orderBy('worktree').orderBy('other').execute()
}

export const selectConflict = async (
  db: Db,
  { worktree, other, with_target }: Pair,
): Promise<RadarConflictRow | undefined> =>
  db
    .selectFrom('radar_conflicts')
    .selectAll()
    .where('worktree', '=', worktree)
    .where('other', '=', other)
    .where('with_target', '=', with_target)
    .executeTakeFirst()

/** Inserts a new conflict in place of an earlier one of the same pair. */
export const putConflict = async (db: Db, row: RadarConflictRow): Promise<void> => {
  const { worktree: _w, other: _o, with_target: _t, ...rest } = row
  await db
    .insertInto('radar_conflicts')
    .values(row)
    .onConflict((at) => at.columns(['worktree', 'with_target', 'other']).doUpdateSet(rest))
    .execute()
}

/** False if it had already ended. */
export const resolveConflict = async (db: Db, { worktree, other, with_target }: Pair, at: Instant): Promise<boolean> =>
  (
    await db
      .updateTable('radar_conflicts')
      .set({ resolved_at: at })
      .where('worktree', '=', worktree)
      .where('other', '=', other)
      .where('with_target', '=', with_target)
      .where('resolved_at', 'is', null)
      .executeTakeFirst()
  ).numUpdatedRows === 1n

/** The number of unfinished tasks of each of these worktrees. */
export const countUnfinished = async (db: Db, worktrees: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  if (worktrees.length === 0) return new Map()
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('task_status', 'task_status.task_id', 'tasks.id')
    .where('tasks.target_worktree', 'in', [...worktrees])
    .where('task_status.status', 'not in', ['completed', 'cancelled'])
    .groupBy('tasks.target_worktree')
    .select((eb) => ['tasks.target_worktree', eb.fn.countAll<number>().as('tasks')])
    .execute()
  return new Map(rows.map((row) => [row.target_worktree!, row.tasks]))
}

/** The pairs of these worktrees in which tasks of one depend on tasks of the other; each pair once. */
export const selectWorktreeNeeds = async (
  db: Db,
  worktrees: readonly string[],
): Promise<readonly { worktree: string; needs: string }[]> => {
  if (worktrees.length === 0) return []
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('task_dependencies', 'task_dependencies.task_id', 'tasks.id')
    .innerJoin('tasks as needed', 'needed.id', 'task_dependencies.depends_on')
    .where('tasks.target_worktree', 'in', [...worktrees])
    .where('needed.target_worktree', 'in', [...worktrees])
    .whereRef('needed.target_worktree', '<>', 'tasks.target_worktree')
    .select(['tasks.target_worktree as worktree', 'needed.target_worktree as needs'])
    .distinct()
    .orderBy('tasks.target_worktree')
    .orderBy('needed.target_worktree')
    .execute()
  return rows.map((row) => ({ worktree: row.worktree!, needs: row.needs! }))
}
