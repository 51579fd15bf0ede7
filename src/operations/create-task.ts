import type { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { addTask, taskDraft } from './kernel/add-task.ts'
import { findTask } from './kernel/find.ts'
import { taskView, viewTasks } from './kernel/views.ts'

export const createTask = operation({
  name: 'create_task',
  summary: 'Put a task on the board',
  access: 'write',
  authority: 'anyone',
  input: taskDraft,
  output: taskView,
  run: async (context, draft) => {
    const id = await addTask(context, draft)
    return (await viewTasks(context.db, [await findTask(context.db, id)]))[0]!
  },
  subject: (task) => ({ taskId: task.id, worktree: task.targetWorktree }),
})

export type TaskDraft = z.input<typeof taskDraft>
