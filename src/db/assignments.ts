import type { Db } from './engine/db.ts'

/** The agent and the folder for a task, if a board file or a person names them. */
export interface Assignment {
  readonly agentId: string | null
  /** Absolute path of its folder. */
  readonly folder: string | null
  readonly maxRetries: number | null
}

export const insertAssignment = async (
  db: Db,
  taskId: number,
  { agentId, folder, maxRetries }: Assignment,
): Promise<void> => {
  await db
    .insertInto('task_assignments')
    .values({ task_id: taskId, agent_id: agentId, folder, max_retries: maxRetries })
    .execute()
}

/** The folders of these tasks, for those that have one. */
export const selectFolders = async (db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> => {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('task_assignments')
    .where('task_id', 'in', [...ids])
    .where('folder', 'is not', null)
    .select(['task_id', 'folder'])
    .execute()
  return new Map(rows.map((row) => [row.task_id, row.folder!]))
}

/** Sets the worktree of a task that named none; cleared again only if it cannot be built. */
export const setTargetWorktree = async (db: Db, id: number, worktree: string): Promise<void> => {
  await db
    .updateTable('tasks')
    .set({ target_worktree: worktree })
    .where('id', '=', id)
    .where('target_worktree', 'is', null)
    .execute()
}

/** Moves a task that waits from one worktree to another; false if it does not wait there any more. */
export const moveTask = async (db: Db, id: number, from: string, to: string): Promise<boolean> =>
  (
    await db
      .updateTable('tasks')
      .set({ target_worktree: to })
      .where('id', '=', id)
      .where('target_worktree', '=', from)
      .executeTakeFirst()
  ).numUpdatedRows === 1n

/** Takes the worktree from a task that has it. */
export const clearTargetWorktree = async (db: Db, id: number, worktree: string): Promise<void> => {
  await db
    .updateTable('tasks')
    .set({ target_worktree: null })
    .where('id', '=', id)
    .where('target_worktree', '=', worktree)
    .execute()
}
