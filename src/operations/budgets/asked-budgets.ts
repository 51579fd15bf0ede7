import { selectAskedTasks } from '../../db/costs.ts'
import { together } from '../../db/engine/db.ts'
import type { SessionRow } from '../../db/schema/schema.ts'
import { type Said, sessionBudgetSaid, taskBudgetSaid } from '../../domain/request/inbox-items.ts'
import type { Instant } from '../../domain/words/time.ts'
import { budgetOfSession, usageOfSession, usageOfTask } from './budgets.ts'
import type { Context } from '../perform/core.ts'

/** A budget that waits for a person's answer; the session's if no task is named. */
export interface AskedBudget {
  readonly taskId: number | null
  readonly since: Instant
  readonly said: Said
}

/** `running` is the running session, if there is one. */
export const askedBudgets = async (
  context: Context,
  running: SessionRow | undefined,
): Promise<readonly AskedBudget[]> =>
  (await together(running ? ofSession(context, running) : [], budgetsOfTasks(context))).flat()

const ofSession = async (context: Context, session: SessionRow): Promise<readonly AskedBudget[]> => {
  const { budget, askedAt } = await budgetOfSession(context, session.id)
  return askedAt === null
    ? []
    : [{ taskId: null, since: askedAt, said: sessionBudgetSaid(budget, await usageOfSession(context, session.id)) }]
}

const budgetsOfTasks = async ({ db }: Context): Promise<readonly AskedBudget[]> =>
  Promise.all(
    (await selectAskedTasks(db)).map(async (task) => ({
      taskId: task.task_id,
      since: task.asked_at!,
      said: taskBudgetSaid(
        { id: task.task_id, title: task.title, agentId: task.status === 'pending' ? null : task.assigned_agent_id },
        { costUsd: task.cost_usd, tokens: task.tokens },
        await usageOfTask({ db }, task.task_id),
      ),
    })),
  )
