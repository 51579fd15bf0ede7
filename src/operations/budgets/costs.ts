import { z } from 'zod'
import { selectUsageOfSession } from '../../db/costs.ts'
import { selectHosts } from '../../db/hosts.ts'
import { selectSleeps } from '../../db/quotas.ts'
import { selectLatestSession, selectRunningSession } from '../../db/sessions.ts'
import { cents, noUsage, type Usage } from '../../domain/budget/budget.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { accountOf } from '../hosts/quotas.ts'
import type { Context } from '../perform/core.ts'
import { findTask } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject, taskId } from '../perform/schemas.ts'
import { usageView, viewUsage } from '../views/usage.ts'
import { budgetOfSession, budgetOfTask, budgetView, usageOfSession, usageOfTask, viewBudget } from './budgets.ts'

const costs = lazyObject(() => ({
  sessionId: z.string(),
  usage: usageView(),
  budget: budgetView(),
  /** The most expensive first. */
  agents: z.array(z.object({ id: z.string(), usage: usageView() })),
  tasks: z.array(z.object({ id: z.int(), title: z.string(), usage: usageView() })),
  kinds: z.array(z.object({ kind: z.string(), usage: usageView() })),
  /** Kinds that do not start before their quota resets; on these hosts only, if the board has several. */
  sleeps: z.array(
    z.object({ kind: z.string(), until: z.string(), why: z.string(), hosts: z.array(z.string()).optional() }),
  ),
}))
export type Costs = z.output<ReturnType<typeof costs>>

export const readCosts = operation({
  name: 'read_costs',
  summary: 'Show the cost of the session: in total, by agent, by task and by kind of agent',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: costs,
  run: async (context) => {
    const { db } = context
    const session = (await selectRunningSession(db)) ?? (await selectLatestSession(db))
    if (!session) throw new Refusal('not_found', "There is no session yet. 'aiswarm tui' or 'aiswarm run' starts one.")
    const rows = (await selectUsageOfSession(db, session.id)).map((row) => ({ ...row, usage: viewUsage(row) }))
    return {
      sessionId: session.id,
      usage: await usageOfSession(context, session.id),
      budget: viewBudget(await budgetOfSession(context, session.id)),
      agents: summed(rows, (row) => row.agent_id).map(([id, usage]) => ({ id, usage })),
      tasks: summed(
        rows.filter((row) => row.task_id !== null),
        (row) => row.task_id!,
      ).map(([id, usage]) => ({ id, title: rows.find((row) => row.task_id === id)!.title ?? '', usage })),
      kinds: summed(rows, (row) => row.kind).map(([kind, usage]) => ({ kind, usage })),
      sleeps: await readSleepsShown(context),
    }
  },
})

const summed = <R extends { readonly usage: Usage }, K>(
  rows: readonly R[],
  key: (row: R) => K,
): (readonly [K, Usage])[] =>
  [...Map.groupBy(rows, key)]
    .map(([name, group]) => [name, group.map(({ usage }) => usage).reduce(add, noUsage)] as const)
    .sort(
      ([, a], [, b]) => (b.costUsd ?? 0) - (a.costUsd ?? 0) || b.tokensIn + b.tokensOut - (a.tokensIn + a.tokensOut),
    )

const add = (a: Usage, b: Usage): Usage => ({
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
  tokensCached: a.tokensCached + b.tokensCached,
  tokensUnpriced: a.tokensUnpriced + b.tokensUnpriced,
  costUsd: a.costUsd === null && b.costUsd === null ? null : cents((a.costUsd ?? 0) + (b.costUsd ?? 0)),
})

const readSleepsShown = async ({ db, now }: Context): Promise<Costs['sleeps']> => {
  const sleeps = await selectSleeps(db, now)
  const hosts = sleeps.length === 0 ? [] : await selectHosts(db)
  return sleeps.map(({ kind, until, why, account }) => ({
    ...{ kind, until, why },
    ...(hosts.length > 1 ? { hosts: hosts.filter((host) => accountOf(host) === account).map(({ name }) => name) } : {}),
  }))
}

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
