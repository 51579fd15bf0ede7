import type { Selectable } from 'kysely'
import type { Instant } from '../domain/time.ts'
import type { Json } from './schema.ts'
import type { Db } from './sqlite.ts'

/** The columns of migrations/009_ConflictRadar.sql. */
export interface RadarConflictsTable {
  worktree: string
  other: string
  with_target: number
  worktree_tree: string
  other_tree: string
  files: Json
  uncommitted: number
  began_at: Instant
  told: number
  resolved_at: Instant | null
}
export type RadarConflictRow = Selectable<RadarConflictsTable>

type Pair = Pick<RadarConflictRow, 'worktree' | 'other' | 'with_target'>

/** Conflicts that are not over: all, or those of one worktree. */
export const selectOpenConflicts = async (db: Db, worktree?: string): Promise<readonly RadarConflictRow[]> => {
  let query = db.selectFrom('radar_conflicts').selectAll().where('resolved_at', 'is', null)
  if (worktree !== undefined) query = query.where((eb) => eb.or([eb('worktree', '=', worktree), eb.and([eb('other', '=', worktree), eb('with_target', '=', 0)])]))
  return query.orderBy('with_target', 'desc').orderBy('worktree').orderBy('other').execute()
}

export const selectConflict = async (db: Db, { worktree, other, with_target }: Pair): Promise<RadarConflictRow | undefined> =>
  db.selectFrom('radar_conflicts').selectAll().where('worktree', '=', worktree).where('other', '=', other).where('with_target', '=', with_target).executeTakeFirst()

/** A conflict that begins, in the place of an earlier one of the same pair. */
export const putConflict = async (db: Db, row: RadarConflictRow): Promise<void> => {
  const { worktree: _w, other: _o, with_target: _t, ...rest } = row
  await db
    .insertInto('radar_conflicts')
    .values(row)
    .onConflict((at) => at.columns(['worktree', 'with_target', 'other']).doUpdateSet(rest))
    .execute()
}

/** False where it was over already. */
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

/** How many tasks of each of these worktrees are not done. */
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

/** Which of these worktrees have tasks that depend on tasks of which others; a pair stands once. */
export const selectWorktreeNeeds = async (db: Db, worktrees: readonly string[]): Promise<readonly { worktree: string; needs: string }[]> => {
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
