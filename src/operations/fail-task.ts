import { z } from 'zod'
import { endedAmong } from '../domain/hooks.ts'
import { waitingAmong } from './kernel/ended-tasks.ts'
import { findTask } from './kernel/find.ts'
import { findHeld } from './kernel/held.ts'
import { agentId, heldAttempt, taskId, text } from './kernel/inputs.ts'
import { operation } from './kernel/operation.ts'
import { failHeld, signOfLife } from './kernel/task-steps.ts'
import { taskView, viewTasks } from './kernel/views.ts'

export const failTask = operation({
  name: 'fail_task',
  summary: 'Fail your task with the reason; it is retried while retries are left',
  access: 'write',
  authority: 'agent',
  input: z.strictObject({ taskId, agentId: agentId.optional(), attempt: heldAttempt, errorMessage: text(32_768).min(1) }),
  output: taskView,
  run: async (context, input) => {
    const { task, agent } = await findHeld(context, 'fail', input.taskId, input.agentId, input.attempt)
    await failHeld(context, task, input.errorMessage)
    await signOfLife(context, agent)
    return (await viewTasks(context.db, [await findTask(context.db, task.id)]))[0]!
  },
  subject: (task, input) => ({
    taskId: task.id,
    agentId: input.agentId ?? null,
    details: { retryCount: task.retryCount, status: task.status, ended: endedAmong([task]), waiting: waitingAmong([task]) },
  }),
})
