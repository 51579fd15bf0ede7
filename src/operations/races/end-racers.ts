import type { RacerRow } from '../../db/schema/tasks.ts'
import { step } from '../../domain/rules/state-machine.ts'
import { taskMachine } from '../../domain/task/task.ts'
import type { Context } from '../perform/core.ts'
import { findTask, findWorktree } from '../perform/find.ts'
import { cancelTask } from '../tasks/attempts.ts'
import { discardWorktree } from '../worktrees/discard.ts'

/** The worktrees that were discarded, and the tasks that were cancelled with them. */
export interface EndedRacers {
  readonly discarded: string[]
  readonly cancelled: number[]
}

/** Ends racers: their agents stop, their unfinished tasks are cancelled, their worktrees are archived as any other. */
export const endRacers = async (
  context: Context,
  racers: readonly RacerRow[],
  reason: string,
): Promise<EndedRacers> => {
  const { db } = context
  const discarded: string[] = []
  const cancelled: number[] = []
  for (const { worktree, task_id: id } of racers) {
    if ((await findWorktree(db, worktree)).status === 'active') {
      cancelled.push(...(await discardWorktree.run(context, { worktreeName: worktree, reason })).cancelled)
      discarded.push(worktree)
    }
    // A person may have moved it to another worktree.
    const task = await findTask(db, id)
    // A failed one would still ask for an answer.
    if (step(taskMachine, 'cancel', task.status) === undefined) continue
    await cancelTask(context, task, reason)
    cancelled.push(id)
  }
  return { discarded, cancelled }
}
