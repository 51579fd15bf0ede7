import type { z } from 'zod'
import { isTrusted } from '../../domain/agent/actor.ts'
import { budgetOf } from '../../domain/budget/budget.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { limitsInput, saveTaskBudget } from './budgets.ts'
import type { Context } from '../perform/core.ts'

/** The budget of a new task. */
export const budgetInput = limitsInput()
  .optional()
  .describe('What it may cost before a person is asked; only a person may set it')
type GivenBudget = z.output<typeof budgetInput>

export const refuseBudget = ({ actor }: Context, budget: GivenBudget): void => {
  if (budget !== undefined && !isTrusted(actor))
    throw new Refusal('not_allowed', 'Only a person may set the budget of a task.')
}

export const setBudget = async (context: Context, taskId: number, budget: GivenBudget): Promise<void> => {
  if (budget === undefined) return
  await saveTaskBudget(context, taskId, {
    budget: budgetOf({ costUsd: budget.costUsd ?? null, tokens: budget.tokens ?? null }),
    askedAt: null,
  })
}
