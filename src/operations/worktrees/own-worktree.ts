import { setTargetWorktree, type TaskRow } from '../../db/tasks.ts'
import { selectWorktree } from '../../db/worktrees.ts'
import { placeWishIn } from '../../domain/task/metadata.ts'
import { ownWorktreeName } from '../../domain/worktree/worktree.ts'
import { addWorktree } from './create-worktree.ts'
import type { Context } from '../perform/core.ts'
import { findTask } from '../perform/find.ts'

/**
 * Creates a separate worktree for a task that names none, on a branch of the same name; a loop builds it. Returns the
 * changed task. `kind` is that of the agent that will work there.
 */
export const giveOwnWorktree = async (context: Context, task: TaskRow, kind: string): Promise<TaskRow> => {
  const { db } = context
  const name = ownWorktreeName(task.id, task.title)
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name.slice(0, 46)}-${n}`
    if (await selectWorktree(db, free)) continue
    await addWorktree(context, { name: free, branchName: free }, { kind, ...placeWishIn(task.metadata) })
    await setTargetWorktree(db, task.id, free)
    return findTask(db, task.id)
  }
}
