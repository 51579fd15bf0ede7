import { budgetOf, budgetWords, isPassed, type Limits } from '../../domain/budget/budget.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { resetProgress } from '../requests/requests.ts'
import { saveTaskBudget, usageOfTask } from './budgets.ts'
import type { Context } from '../perform/core.ts'

/** Sets the budget of a task that exists. One that is used up asks a person no more: this is the answer. */
export const changeBudget = async (context: Context, taskId: number, limits: Limits): Promise<void> => {
  const usage = await usageOfTask(context, taskId)
  if (isPassed(limits, usage))
    throw new Refusal(
      'invalid_input',
      `That budget is already used up: ${budgetWords(limits, usage)}. Set a higher one, or none.`,
    )
  await saveTaskBudget(context, taskId, { budget: budgetOf(limits), askedAt: null })
  await resetProgress(context, taskId)
}
