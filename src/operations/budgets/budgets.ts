import { z } from 'zod'
import { selectSessionBudget, selectTaskBudget, selectUsage, setSessionBudget, setTaskBudget } from '../../db/costs.ts'
import { together } from '../../db/engine/db.ts'
import type { RaceRow } from '../../db/schema/tasks.ts'
import type { BudgetColumns } from '../../db/schema/columns.ts'
import type { SessionRow } from '../../db/schema/schema.ts'
import { selectRunningSession } from '../../db/sessions.ts'
import { selectCountedRacers, selectRaceOfRacer } from '../../db/races.ts'
import { insertTaskLog } from '../../db/task-logs.ts'
import {
  type Budget,
  budgetOf,
  budgetWords,
  isPassed,
  type Limits,
  sumOfUsage,
  type Usage,
} from '../../domain/budget/budget.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { isOver } from '../../domain/task/task.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import { findTask } from '../perform/find.ts'
import { viewUsage } from '../views/usage.ts'
import { lazyObject } from '../perform/schemas.ts'
import { once } from '../../domain/words/once.ts'

// Usage, limits, and the time at which a person is asked whether to continue.

/** A null limit means no limit; `askedAt` is set while everything waits for a person's answer. */
export const budgetView = lazyObject(() => ({
  costUsd: z.number().nullable(),
  tokens: z.int().nullable(),
  askedAt: z.string().nullable(),
}))
export type BudgetView = z.output<ReturnType<typeof budgetView>>

export const limitsInput = once(() =>
  z
    .strictObject({
      costUsd: z.number().positive().max(1e9).optional().describe('US dollars'),
      tokens: z.int().positive().optional(),
    })
    .refine(
      ({ costUsd, tokens }) => costUsd !== undefined || tokens !== undefined,
      'a budget limits the cost, the tokens or both',
    ),
)

/** The budget in force: its own, otherwise the configured one. */
export interface Standing {
  readonly budget: Budget
  readonly askedAt: Instant | null
}

/** The usage of a task, with that of the racers of all its races: what a stopped race has used is spent as well. */
export const usageOfTask = async ({ db }: Pick<Context, 'db'>, taskId: number): Promise<Usage> => {
  const ids = [taskId, ...(await selectCountedRacers(db, taskId))].map(String)
  const usages = await selectUsage(db, 'task', ids)
  return sumOfUsage(ids.map((id) => viewUsage(usages.get(id))))
}

export const usageOfSession = async ({ db }: Pick<Context, 'db'>, id: string): Promise<Usage> =>
  viewUsage((await selectUsage(db, 'session', [id])).get(id))

export const budgetOfTask = async (context: Pick<Context, 'db' | 'settings'>, taskId: number): Promise<Standing> =>
  standingOf(context, await selectTaskBudget(context.db, taskId))

/** The same from the row of the task, if it has one. */
export const standingOf = ({ settings }: Pick<Context, 'settings'>, row: BudgetColumns | undefined): Standing =>
  standing(row, settings.budget.task)

export const budgetOfSession = async (
  { db, settings }: Pick<Context, 'db' | 'settings'>,
  id: string,
): Promise<Standing> => standing(await selectSessionBudget(db, id), settings.budget.session)

export const viewBudget = ({ budget: { costUsd, tokens }, askedAt }: Standing): BudgetView => ({
  costUsd,
  tokens,
  askedAt,
})

export const saveTaskBudget = ({ db }: Context, taskId: number, standing: Standing): Promise<void> =>
  setTaskBudget(db, taskId, columnsOf(standing))

export const saveSessionBudget = ({ db }: Context, id: string, standing: Standing): Promise<void> =>
  setSessionBudget(db, id, columnsOf(standing))

/** Asks a person if the last recorded usage exceeds a budget. */
export const checkBudgets = async (
  context: Context,
  run: { readonly taskId: number | null; readonly attempt: number | null; readonly agentId: string },
): Promise<void> => {
  if (run.taskId !== null) {
    await checkTask(context, { ...run, taskId: run.taskId })
    const race = await selectRaceOfRacer(context.db, run.taskId)
    // The agent of a race that was just stopped may report what it has used until its end.
    if (race) await checkTask(context, { ...run, taskId: race.task_id, attempt: null })
  }
  const session = await selectRunningSession(context.db)
  if (session) await isSessionSpent(context, session)
}

/** True if the session has used its budget up; the first time, a person is asked. A paused session asks no one. */
export const isSessionSpent = async (context: Context, session: SessionRow): Promise<boolean> => {
  const standing = await budgetOfSession(context, session.id)
  if (standing.askedAt !== null) return true
  if (
    session.paused_at !== null ||
    !isLimited(standing.budget) ||
    !isPassed(standing.budget, await usageOfSession(context, session.id))
  )
    return false
  await saveSessionBudget(context, session.id, { ...standing, askedAt: context.now })
  return true
}

/** Refuses to start a task whose budget is used up until a person has answered. */
export const refuseSpent = async (context: Context, taskId: number): Promise<void> => {
  const [race, budget] = await together(selectRaceOfRacer(context.db, taskId), budgetOfTask(context, taskId))
  await refuseUsedUp(context, taskId, race, budget)
}

/** The same for a task whose race and budget are known. */
export const refuseUsedUp = async (
  context: Context,
  taskId: number,
  race: Pick<RaceRow, 'ended_at' | 'task_id'> | undefined,
  { budget, askedAt }: Standing,
): Promise<void> => {
  if (race?.ended_at === null) await refuseSpent(context, race.task_id)
  if (askedAt === null) return
  const used = budgetWords(budget, await usageOfTask(context, taskId))
  throw new Refusal(
    'blocked',
    `Task ${taskId} has used up its budget: ${used}. 'aiswarm task budget ${taskId} --raise N' lets it continue.`,
  )
}

const checkTask = async (
  context: Context,
  { taskId, attempt, agentId }: { taskId: number; attempt: number | null; agentId: string },
): Promise<void> => {
  const standing = await budgetOfTask(context, taskId)
  if (standing.askedAt !== null || !isLimited(standing.budget)) return
  const used = await usageOfTask(context, taskId)
  // An ended task continues with no answer.
  if (!isPassed(standing.budget, used) || isOver((await findTask(context.db, taskId)).status)) return
  await saveTaskBudget(context, taskId, { ...standing, askedAt: context.now })
  const message = `The budget of the task is used up: ${budgetWords(standing.budget, used)}. Work on it stops until a person answers.`
  await insertTaskLog(context.db, {
    task_id: taskId,
    agent_id: agentId,
    level: 'warn',
    message,
    attempt,
    percent: null,
    logged_at: context.now,
  })
}

const isLimited = ({ costUsd, tokens }: Limits): boolean => costUsd !== null || tokens !== null

const standing = (row: BudgetColumns | undefined, configured: Limits): Standing =>
  row === undefined
    ? { budget: budgetOf(configured), askedAt: null }
    : {
        budget: {
          costUsd: row.cost_usd,
          tokens: row.tokens,
          step: { costUsd: row.step_cost_usd, tokens: row.step_tokens },
        },
        askedAt: row.asked_at,
      }

const columnsOf = ({ budget: { costUsd, tokens, step }, askedAt }: Standing): BudgetColumns => ({
  cost_usd: costUsd,
  tokens,
  step_cost_usd: costUsd === null ? null : (step.costUsd ?? costUsd),
  step_tokens: tokens === null ? null : (step.tokens ?? tokens),
  asked_at: askedAt,
})
