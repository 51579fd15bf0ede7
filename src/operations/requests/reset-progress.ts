import { changeStatus } from '../../db/tasks.ts'
import { isHeld } from '../../domain/task/task.ts'
import type { Context } from '../perform/core.ts'
import { findTask, must } from '../perform/find.ts'

/** Resets the progress clock of a task that waited for an answer, so that the wait does not count as a stall. */
export const resetProgress = async ({ db, now }: Pick<Context, 'db' | 'now'>, taskId: number | null): Promise<void> => {
  if (taskId === null) return
  const { status, attempt } = await findTask(db, taskId)
  if (isHeld(status))
    must(await changeStatus(db, taskId, { status, attempt }, { progressed_at: now, changed_at: now }), `Task ${taskId}`)
}
