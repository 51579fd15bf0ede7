import { z } from 'zod'
import { selectRunningSession } from '../../db/sessions.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { budgetOfSession, budgetOfTask, budgetView, usageOfSession, usageOfTask, viewBudget } from './budgets.ts'
import { usageView } from '../views/usage.ts'
import { findTask } from '../perform/find.ts'
import { taskId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'

export const readBudget = operation({
  name: 'read_budget',
  summary: 'Show the budget of a task or of the running session, and its usage',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ taskId: taskId.optional().describe('Default: the session') }),
  output: () =>
    z.object({
      taskId: z.int().nullable(),
      sessionId: z.string().nullable(),
      budget: budgetView(),
      usage: usageView(),
    }),
  run: async (context, input) => {
    if (input.taskId !== undefined) {
      const { id } = await findTask(context.db, input.taskId)
      return {
        taskId: id,
        sessionId: null,
        budget: viewBudget(await budgetOfTask(context, id)),
        usage: await usageOfTask(context, id),
      }
    }
    const session = await selectRunningSession(context.db)
    if (!session)
      throw new Refusal('not_found', "No session is running. 'aiswarm cost' shows the cost of the latest one.")
    return {
      taskId: null,
      sessionId: session.id,
      budget: viewBudget(await budgetOfSession(context, session.id)),
      usage: await usageOfSession(context, session.id),
    }
  },
})
