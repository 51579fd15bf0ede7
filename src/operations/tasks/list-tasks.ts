import { z } from 'zod'
import { selectQueue } from '../../db/task-queue.ts'
import { selectTasks, type TaskRow } from '../../db/tasks.ts'
import { taskStates } from '../../domain/task/task.ts'
import { personaId, worktreeName } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { withSleeps } from '../hosts/quotas.ts'
import { whereOf } from './steps/task-where.ts'
import { taskView, viewTasks } from '../views/tasks.ts'

export const listTasks = operation({
  name: 'list_tasks',
  summary: 'List tasks by state, persona, filter or availability',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      status: z.enum([...taskStates, 'blocked']).optional(),
      personaId: personaId.optional(),
      worktree: worktreeName.optional(),
      where: z
        .string()
        .max(2000)
        .default('')
        .describe('Filter such as: state:failed persona:tester age>10m "words of the title"'),
      available: z.boolean().default(false).describe('Only tasks that can be claimed now, by priority'),
    }),
  output: () => z.array(taskView()),
  run: async (context, { status, personaId, worktree, where, available }) => {
    const { db, now } = context
    const narrowed = {
      ...(personaId === undefined ? {} : { personaId }),
      ...(worktree === undefined ? {} : { worktree }),
      ...whereOf(where, context),
    }
    const state = status === 'blocked' ? 'pending' : status
    const ofState = (): Promise<TaskRow[]> =>
      selectTasks(db, { ...narrowed, ...(state === undefined ? {} : { statuses: [state] }) })
    const rows = !available
      ? await ofState()
      : state === undefined || state === 'pending'
        ? await selectQueue(db, now, narrowed)
        : []
    const views: z.output<ReturnType<typeof taskView>>[] = []
    for (let at = 0; at < rows.length; at += 1000)
      views.push(...(await withSleeps(context, await viewTasks(db, rows.slice(at, at + 1000)))))
    return status === 'blocked' ? views.filter((task) => task.blockedBy.length > 0) : views
  },
})
