import { setTargetWorktree } from '../../db/assignments.ts'
import type { TaskRow } from '../../db/tasks.ts'
import { selectWorktree } from '../../db/worktrees.ts'
import { ownWorktreeName } from '../../domain/worktree.ts'
import { createWorktree } from '../create-worktree.ts'
import type { Context } from './core.ts'
import { findTask } from './find.ts'

/** Gives a task that names no worktree one of its own, on a branch of the same name; a loop builds it. Gives the task as it then is. */
export const giveOwnWorktree = async (context: Context, task: TaskRow): Promise<TaskRow> => {
  const { db } = context
  const name = ownWorktreeName(task.id, task.title)
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name.slice(0, 46)}-${n}`
    if (await selectWorktree(db, free)) continue
    await createWorktree.run(context, { name: free, branchName: free })
    await setTargetWorktree(db, task.id, free)
    return findTask(db, task.id)
  }
}
