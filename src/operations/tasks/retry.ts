import { z } from 'zod'
import type { Db } from '../../db/engine/db.ts'
import { selectLatestIntegration } from '../../db/integrations.ts'
import { endSleep } from '../../db/quotas.ts'
import { changeStatus } from '../../db/tasks.ts'
import { isTrusted } from '../../domain/agent/actor.ts'
import { sleepWords } from '../../domain/budget/budget.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { whyNot } from '../../domain/task/task.ts'
import { whyNotTriedAgain } from '../../domain/worktree/worktree.ts'
import { checkBudgets } from '../budgets/budgets.ts'
import { readSleepOf } from '../hosts/quotas.ts'
import { findTaskFacts, findWorktree, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { taskId } from '../perform/schemas.ts'
import { taskView, viewTask, viewTasks } from '../views/tasks.ts'

export const retryTask = operation({
  name: 'retry_task',
  summary: 'Retry a failed task now, or skip the wait for its retry',
  access: 'write',
  authority: 'planner',
  input: () => z.strictObject({ taskId }),
  output: taskView,
  run: async (context, input) => {
    const { db, now } = context
    const { task, facts } = await findTaskFacts(db, input.taskId)
    // A caller that wakes a sleeping task asserts that the quota has reset, which no agent knows.
    const sleep = await readSleepOf(context, (await viewTasks(db, [task]))[0]!)
    if (sleep !== undefined && !isTrusted(context.actor))
      throw new Refusal('blocked', `Task ${task.id} is ${sleepWords(sleep, now)}. Only a person may retry it now.`)
    if (sleep !== undefined) await endSleep(db, sleep)
    const waits = task.status === 'pending' && (task.not_before !== null || sleep !== undefined)
    const why = waits ? undefined : whyNot('retry', facts)
    if (why !== undefined) throw new Refusal('invalid_state', why)
    const worktree = task.target_worktree === null ? undefined : await findWorktree(db, task.target_worktree)
    if (worktree && worktree.status !== 'active')
      throw new Refusal(
        'invalid_state',
        `W${whyNotTriedAgain(worktree, `task ${task.id}`).slice(1)}. Cancel it, and create another task for the rest.`,
      )
    if (worktree && !waits && (await isMerging(db, worktree.name)))
      throw new Refusal(
        'invalid_state',
        `Worktree ${worktree.name} is being integrated, so task ${task.id} cannot be retried in it. Create another task for the rest.`,
      )
    // Skipping the wait of an automatic retry does not count as another retry.
    const change = waits
      ? { not_before: null, changed_at: now }
      : {
          status: 'pending' as const,
          assigned_agent_id: null,
          completed_at: null,
          started_at: null,
          claimed_at: null,
          retry_count: task.retry_count + 1,
          changed_at: now,
        }
    must(await changeStatus(db, task.id, { status: task.status, attempt: task.attempt }, change), `Task ${task.id}`)
    // Usage that was reported after the failure asked no one.
    await checkBudgets(context, { taskId: task.id, attempt: task.attempt, agentId: context.actor.id })
    return viewTask(db, task.id)
  },
  subject: (task) => ({ taskId: task.id, worktree: task.targetWorktree }),
})

/** A worktree whose merge is approved ends with it. */
const isMerging = async (db: Db, worktree: string): Promise<boolean> => {
  const status = (await selectLatestIntegration(db, worktree))?.status
  return status === 'approved' || status === 'moving'
}
