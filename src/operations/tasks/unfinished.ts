import type { Db } from '../../db/engine/db.ts'
import { selectTasks } from '../../db/tasks.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import { Refusal } from '../../domain/rules/refusal.ts'

// Worktrees with tasks that are not finished, or that may come back to them.

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

export const unfinished = ['pending', 'claimed', 'in_progress'] as const

/** True if a worktree has an open task, or if one may come back to it. */
export const isUnfinished = async (db: Db, worktree: string): Promise<boolean> =>
  (await hasOpenTask(db, worktree)) || (await unbuiltAfter(db, worktree)) !== undefined

const hasOpenTask = async (db: Db, worktree: string): Promise<boolean> =>
  (await selectTasks(db, { worktree, statuses: unfinished, limit: 1 })).length > 0

// A worktree that continues one of another host and is not built yet: if it cannot be, its tasks come back to that one.

/** The worktree with open tasks that continues this one, itself or through others, and is not built yet. */
export const unbuiltAfter = async (db: Db, worktree: string): Promise<string | undefined> => {
  const rows = await selectWorktrees(db, { folders: ['building'] })
  const former = new Map(rows.map(({ name, continues }) => [name, continues]))
  const comesBack = (name: string): boolean => {
    for (let at = former.get(name) ?? null; at !== null; at = former.get(at) ?? null) if (at === worktree) return true
    return false
  }
  for (const { name } of rows) if (comesBack(name) && (await hasOpenTask(db, name))) return name
  return undefined
}

/** Why the worktree cannot end now. */
export const mayComeBack = (worktree: string, unbuilt: string): string =>
  `Worktree ${unbuilt} continues ${worktree} and is not built yet; if it cannot be built, its tasks continue in ${worktree}. Wait until it is built, or cancel them.`
