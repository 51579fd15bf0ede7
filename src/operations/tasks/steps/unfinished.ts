import { selectTasks } from '../../../db/tasks.ts'
import type { Db } from '../../../db/engine/db.ts'
import { selectWorktrees } from '../../../db/worktrees.ts'
import { Refusal } from '../../../domain/rules/refusal.ts'

const statuses = ['pending', 'claimed', 'in_progress'] as const

/** A worktree is integrated only if it has no open task. */
export const refuseUnfinished = async (db: Db, worktree: string): Promise<void> => {
  const unfinished = await selectTasks(db, { worktree, statuses, limit: 4 })
  if (unfinished.length > 0) {
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
  const unbuilt = await unbuiltAfter(db, worktree)
  if (unbuilt !== undefined) throw new Refusal('unfinished_tasks', mayComeBack(worktree, unbuilt))
}

/** True if it has an open task, or if one may come back to it. */
export const isUnfinished = async (db: Db, worktree: string): Promise<boolean> =>
  (await selectTasks(db, { worktree, statuses, limit: 1 })).length > 0 ||
  (await unbuiltAfter(db, worktree)) !== undefined

/** The worktree that continues this one and is not built yet: if it cannot be, its open tasks come back to this one. */
export const unbuiltAfter = async (db: Db, worktree: string): Promise<string | undefined> => {
  const rows = await selectWorktrees(db, { folders: ['building'] })
  const former = new Map(rows.map(({ name, continues }) => [name, continues]))
  const comesBack = (name: string): boolean => {
    for (let at = former.get(name) ?? null; at !== null; at = former.get(at) ?? null) if (at === worktree) return true
    return false
  }
  for (const { name } of rows)
    if (comesBack(name) && (await selectTasks(db, { worktree: name, statuses, limit: 1 })).length > 0) return name
  return undefined
}

/** Why the worktree cannot end now. */
export const mayComeBack = (worktree: string, unbuilt: string): string =>
  `Worktree ${unbuilt} continues ${worktree} and is not built yet; if it cannot be built, its tasks continue in ${worktree}. Wait until it is built, or cancel them.`
