import { z } from 'zod'
import { selectAttempts, selectCommits } from '../../db/attempts.ts'
import { selectDependents } from '../../db/task-dependencies.ts'
import { selectTaskLogs } from '../../db/task-logs.ts'
import { selectChildren } from '../../db/tasks.ts'
import { once } from '../../domain/words/once.ts'
import { budgetOfTask, budgetView, usageOfTask, viewBudget } from '../budgets/budgets.ts'
import { withSleeps } from '../hosts/quotas.ts'
import { findTask } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId, lazyObject, taskId } from '../perform/schemas.ts'
import { taskLogView, taskView, viewTask, viewTaskLog } from '../views/tasks.ts'
import { usageView } from '../views/usage.ts'

// One task with its attempts, and its log.

const attemptView = lazyObject(() => ({
  attempt: z.int(),
  agentId: z.string(),
  claimedAt: z.string(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  outcome: z.string().nullable(),
  error: z.string().nullable(),
  tokensIn: z.int().nullable(),
  tokensOut: z.int().nullable(),
  costUsd: z.number().nullable(),
  /** Commits made on the worktree's branch during the attempt. */
  commits: z.array(
    z.object({
      oid: z.string(),
      branch: z.string(),
      author: z.string(),
      committedAt: z.string(),
      subject: z.string(),
    }),
  ),
}))

const taskDetail = once(() =>
  taskView().extend({
    usage: usageView(),
    budget: budgetView(),
    attempts: z.array(attemptView()),
    children: z.array(z.int()),
    dependents: z.array(z.int()),
  }),
)
export type TaskDetail = z.output<ReturnType<typeof taskDetail>>

export const getTask = operation({
  name: 'get_task_status',
  summary: 'Show one task with its attempts, subtasks and dependents',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ taskId }),
  output: taskDetail,
  run: async (context, input) => {
    const { db } = context
    const view = (await withSleeps(context, [await viewTask(db, input.taskId)]))[0]!
    const commits = await selectCommits(db, input.taskId)
    const attempts = (await selectAttempts(db, input.taskId)).map((row) => ({
      attempt: row.attempt,
      agentId: row.agent_id,
      claimedAt: row.claimed_at,
      startedAt: row.started_at,
      endedAt: row.ended_at,
      outcome: row.outcome,
      error: row.error,
      tokensIn: row.tokens_in,
      tokensOut: row.tokens_out,
      costUsd: row.cost_usd,
      commits: commits
        .filter((commit) => commit.attempt === row.attempt)
        .map(({ oid, branch, author, committed_at, subject }) => ({
          oid,
          branch,
          author,
          committedAt: committed_at,
          subject,
        })),
    }))
    const usage = await usageOfTask(context, input.taskId)
    const budget = viewBudget(await budgetOfTask(context, input.taskId))
    return {
      ...view,
      usage,
      budget,
      attempts,
      children: [...(await selectChildren(db, input.taskId))],
      dependents: [...(await selectDependents(db, input.taskId))],
    }
  },
})

export const getTaskLogs = operation({
  name: 'get_task_logs',
  summary: 'Show the notes and progress of a task or an agent',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      taskId: taskId.optional(),
      agentId: agentId.optional(),
      afterId: z.int().min(0).optional().describe('Only rows after this one'),
      last: z.int().min(1).max(10_000).optional().describe('Only this many, the newest'),
    }),
  output: () => z.array(taskLogView()),
  run: async ({ db }, input) => {
    if (input.taskId !== undefined) await findTask(db, input.taskId)
    return (await selectTaskLogs(db, { ...input })).map(viewTaskLog)
  },
})
