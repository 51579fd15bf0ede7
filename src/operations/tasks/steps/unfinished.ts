import { selectTasks } from '../../../db/tasks.ts'
import type { Db } from '../../../db/engine/db.ts'
import { Refusal } from '../../../domain/rules/refusal.ts'

/** A worktree is integrated only if it has no open task. */
export const refuseUnfinished = async (db: Db, worktree: string): Promise<void> => {
  const unfinished = await selectTasks(db, { worktree, statuses: ['pending', 'claimed', 'in_progress'], limit: 4 })
  if (unfinished.length === 0) return
  const named =
    unfinished
      .slice(0, 3)
      .map((task) => task.id)
      .join(', ') + (unfinished.length > 3 ? ', …' : '')
  throw new Refusal(
    'unfinished_tasks',
    `Worktree ${worktree} has unfinished tasks (${named}). Complete or cancel them first.`,
  )
}
