import { z } from 'zod'
import { selectLatestSession, selectRunningSession } from '../../db/sessions.ts'
import { countByStatus } from '../../db/tasks.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { budgetOfSession, budgetView, usageOfSession, viewBudget } from '../budgets/budgets.ts'
import { usageView } from '../views/usage.ts'
import { operation } from '../perform/operation.ts'
import { sessionView, viewSession } from '../views/sessions.ts'

export const getSession = operation({
  name: 'get_session',
  summary: 'Show the running session, else the latest',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () =>
    sessionView().extend({ usage: usageView(), budget: budgetView(), tasks: z.record(z.string(), z.int()) }),
  run: async (context) => {
    const { db } = context
    const row = (await selectRunningSession(db)) ?? (await selectLatestSession(db))
    if (!row) throw new Refusal('not_found', "There is no session yet. 'aiswarm tui' or 'aiswarm run' starts one.")
    return {
      ...viewSession(row),
      usage: await usageOfSession(context, row.id),
      budget: viewBudget(await budgetOfSession(context, row.id)),
      tasks: await countByStatus(db),
    }
  },
})
