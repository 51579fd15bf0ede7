import { z } from 'zod'
import { selectTaskLogs } from '../../db/task-logs.ts'
import { findTask } from '../perform/find.ts'
import { agentId, taskId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { taskLogView, viewTaskLog } from '../views/tasks.ts'

export const getTaskLogs = operation({
  name: 'get_task_logs',
  summary: 'Show the notes and progress of a task or an agent',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      taskId: taskId.optional(),
      agentId: agentId.optional(),
      afterId: z.int().min(0).optional().describe('Only rows after this one'),
      last: z.int().min(1).max(10_000).optional().describe('Only this many, the newest'),
    }),
  output: () => z.array(taskLogView()),
  run: async ({ db }, input) => {
    if (input.taskId !== undefined) await findTask(db, input.taskId)
    return (await selectTaskLogs(db, { ...input })).map(viewTaskLog)
  },
})
