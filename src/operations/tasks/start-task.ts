import { z } from 'zod'
import { together } from '../../db/engine/db.ts'
import { findHeld } from '../agents/steps/held.ts'
import { agentId, heldAttempt, taskId } from '../perform/schemas.ts'
import { ofActing, operation } from '../perform/operation.ts'
import { signOfLife, startHeld } from './steps/task-steps.ts'
import { taskView, viewTask } from '../views/tasks.ts'

export const startTask = operation({
  name: 'start_task',
  summary: 'Start a claimed task',
  access: 'write',
  authority: 'agent',
  scope: ofActing,
  input: () => z.strictObject({ taskId, agentId: agentId.optional(), attempt: heldAttempt }),
  output: taskView,
  run: async (context, input) => {
    const { task, agent } = await findHeld(context, 'start', input.taskId, input.agentId, input.attempt)
    const [, , view] = await together(
      startHeld(context, task),
      signOfLife(context, agent),
      viewTask(context.db, task.id),
    )
    return view
  },
  subject: (task) => ({ taskId: task.id, agentId: task.assignedAgentId }),
})
