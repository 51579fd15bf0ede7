import type { Db } from './engine/db.ts'

/** The number of tasks by this creator that have not ended. */
export const countOpenTasksBy = async (db: Db, creator: string): Promise<number> => {
  const { open } = await db
    .selectFrom('tasks')
    .innerJoin('task_status', 'task_status.task_id', 'tasks.id')
    .where('tasks.created_by', '=', creator)
    .where('task_status.status', 'in', ['pending', 'claimed', 'in_progress'])
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .executeTakeFirstOrThrow()
  return Number(open)
}

/** The number of tasks that have not ended, by their worktree. */
export const countOpenTasksIn = async (
  db: Db,
): Promise<readonly { readonly worktree: string; readonly open: number }[]> =>
  (
    await db
      .selectFrom('task_status')
      .innerJoin('tasks', 'tasks.id', 'task_status.task_id')
      .where('task_status.status', 'in', ['pending', 'claimed', 'in_progress'])
      .where('tasks.target_worktree', 'is not', null)
      .groupBy('tasks.target_worktree')
      .select(({ fn }) => ['tasks.target_worktree', fn.countAll<number>().as('open')])
      .execute()
  ).map(({ target_worktree, open }) => ({ worktree: target_worktree!, open: Number(open) }))
