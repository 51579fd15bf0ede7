import { z } from 'zod'
import { selectTasks } from '../../db/tasks.ts'
import { heldOf } from '../tasks/steps/held-tasks.ts'
import { taskId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'

/** The most pending tasks that are checked. */
const AT_MOST = 1000

export const readHeld = operation({
  name: 'read_held',
  summary: 'List the tasks that cannot start now, and why, without those that need a person',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ taskId: taskId.optional().describe('Only this task') }),
  output: () => z.array(z.object({ taskId: z.int(), why: z.string() })),
  run: async (context, { taskId }) =>
    heldOf(
      context,
      await selectTasks(context.db, {
        statuses: ['pending'],
        limit: AT_MOST,
        ...(taskId === undefined ? {} : { ids: [taskId] }),
      }),
    ),
})
