import { z } from 'zod'
import { together } from '../../db/engine/db.ts'
import { endedAmong } from '../../domain/settings/hooks.ts'
import { waitingAmong } from './steps/ended-tasks.ts'
import { findHeld } from '../agents/steps/held.ts'
import { agentId, heldAttempt, taskId, text } from '../perform/schemas.ts'
import { ofActing, operation } from '../perform/operation.ts'
import { seeBeforeEnd } from '../messages/handover.ts'
import { signOfLife } from './steps/task-steps.ts'
import { failHeld } from './steps/end-attempt.ts'
import { taskView, viewTask } from '../views/tasks.ts'

export const failTask = operation({
  name: 'fail_task',
  summary: 'Fail your task with the reason; it is retried while retries are left',
  access: 'write',
  authority: 'agent',
  scope: ofActing,
  input: () =>
    z.strictObject({
      taskId,
      agentId: agentId.optional(),
      attempt: heldAttempt,
      errorMessage: text(32_768).min(1),
    }),
  output: taskView,
  run: async (context, input) => {
    const { task, agent } = await findHeld(context, 'fail', input.taskId, input.agentId, input.attempt)
    await seeBeforeEnd(context)
    // Before the note of the failure, since writers of notes wait for each other.
    await signOfLife(context, agent)
    const [, view] = await together(failHeld(context, task, input.errorMessage, agent), viewTask(context.db, task.id))
    return view
  },
  subject: (task, input) => ({
    taskId: task.id,
    agentId: input.agentId ?? null,
    details: {
      retryCount: task.retryCount,
      status: task.status,
      ended: endedAmong([task]),
      waiting: waitingAmong([task]),
    },
  }),
})
