import { selectTasks } from '../../../db/tasks.ts'
import type { Db } from '../../../db/engine/db.ts'
import { Refusal } from '../../../domain/rules/refusal.ts'
import { mayComeBack, unbuiltAfter, unfinished } from '../../hosts/steps/unbuilt.ts'

/** A worktree is integrated only if it has no open task, and none that may come back to it. */
export const refuseUnfinished = async (db: Db, worktree: string): Promise<void> => {
  const tasks = await selectTasks(db, { worktree, statuses: unfinished, limit: 4 })
  if (tasks.length > 0) {
    const named =
      tasks
        .slice(0, 3)
        .map((task) => task.id)
        .join(', ') + (tasks.length > 3 ? ', …' : '')
    throw new Refusal(
      'unfinished_tasks',
      `Worktree ${worktree} has unfinished tasks (${named}). Complete or cancel them first.`,
    )
  }
  const unbuilt = await unbuiltAfter(db, worktree)
  if (unbuilt !== undefined) throw new Refusal('unfinished_tasks', mayComeBack(worktree, unbuilt))
}
