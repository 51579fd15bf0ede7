import { changeStatus } from '../../db/tasks.ts'
import { isHeld } from '../../domain/task.ts'
import type { Context } from './core.ts'
import { findTask } from './find.ts'

/** Whoever stood still until it was answered goes on: the time until then is not held against it as one without progress. */
export const goOn = async ({ db, now }: Pick<Context, 'db' | 'now'>, taskId: number | null): Promise<void> => {
  if (taskId === null) return
  const { status, attempt } = await findTask(db, taskId)
  if (isHeld(status)) await changeStatus(db, taskId, { status, attempt }, { progressed_at: now, changed_at: now })
}
