import type { z } from 'zod'
import { isTrusted } from '../../domain/agent/actor.ts'
import { budgetOf } from '../../domain/budget/budget.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { operation } from '../door/operation.ts'
import { addTask, taskDraft } from './steps/add-task.ts'
import { limitsInput, saveTaskBudget } from '../budgets/budgets.ts'
import { findTask } from '../door/find.ts'
import { taskView, viewTasks } from '../views/views.ts'

export const createTask = operation({
  name: 'create_task',
  summary: 'Create a task',
  access: 'write',
  authority: 'anyone',
  input: taskDraft.extend({ budget: limitsInput.optional().describe('What it may cost before a person is asked; only a person may set it') }),
  output: taskView,
  run: async (context, { budget, ...draft }) => {
    if (budget !== undefined && !isTrusted(context.actor)) throw new Refusal('not_allowed', 'Only a person may set the budget of a task.')
    const id = await addTask(context, draft)
    if (budget !== undefined) await saveTaskBudget(context, id, { budget: budgetOf({ costUsd: budget.costUsd ?? null, tokens: budget.tokens ?? null }), askedAt: null })
    return (await viewTasks(context.db, [await findTask(context.db, id)]))[0]!
  },
  subject: (task) => ({ taskId: task.id, worktree: task.targetWorktree }),
})

export type TaskDraft = z.input<typeof createTask.input>
