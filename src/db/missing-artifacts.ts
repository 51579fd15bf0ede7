import type { Db } from './engine/db.ts'

/** Replaces the missing paths of an earlier result of the task by these. */
export const replaceMissingArtifacts = async (db: Db, taskId: number, paths: readonly string[]): Promise<void> => {
  await db.deleteFrom('missing_artifacts').where('task_id', '=', taskId).execute()
  if (paths.length === 0) return
  await db
    .insertInto('missing_artifacts')
    .values(paths.map((path) => ({ task_id: taskId, path })))
    .execute()
}

export const selectMissingArtifacts = async (db: Db, taskId: number): Promise<readonly string[]> =>
  (await db.selectFrom('missing_artifacts').where('task_id', '=', taskId).select('path').orderBy('path').execute()).map(
    ({ path }) => path,
  )
