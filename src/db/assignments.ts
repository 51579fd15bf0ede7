import type { Db } from './sqlite.ts'

/** Who is to do a task and where, when a board file or a person names that. */
export interface Assignment {
  readonly agentId: string | null
  /** Absolute path of the folder to do it in. */
  readonly folder: string | null
  readonly maxRetries: number | null
}

export interface TaskAssignmentsTable {
  task_id: number
  agent_id: string | null
  folder: string | null
  max_retries: number | null
}

export const insertAssignment = async (db: Db, taskId: number, { agentId, folder, maxRetries }: Assignment): Promise<void> => {
  await db.insertInto('task_assignments').values({ task_id: taskId, agent_id: agentId, folder, max_retries: maxRetries }).execute()
}

/** The folders of those of these tasks that have one of their own. */
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

/** Where a task that named no worktree is done; nothing else of a task ever changes. */
export const setTargetWorktree = async (db: Db, id: number, worktree: string): Promise<void> => {
  await db.updateTable('tasks').set({ target_worktree: worktree }).where('id', '=', id).where('target_worktree', 'is', null).execute()
}
