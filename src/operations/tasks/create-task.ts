import type { z } from 'zod'
import { operation } from '../perform/operation.ts'
import { addTask, taskDraft } from './steps/add-task.ts'
import { budgetInput, refuseBudget, setBudget } from '../budgets/new-task-budget.ts'
import { taskView, viewTask } from '../views/tasks.ts'

export const createTask = operation({
  name: 'create_task',
  summary: 'Create a task',
  access: 'write',
  authority: 'anyone',
  input: () => taskDraft().extend({ budget: budgetInput }),
  output: taskView,
  run: async (context, { budget, ...draft }) => {
    refuseBudget(context, budget)
    const id = await addTask(context, draft)
    await setBudget(context, id, budget)
    return viewTask(context.db, id)
  },
  subject: (task) => ({ taskId: task.id, worktree: task.targetWorktree }),
})

export type TaskDraft = z.input<typeof createTask.input>
