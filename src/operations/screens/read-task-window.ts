import { z } from 'zod'
import { selectTasks } from '../../db/tasks.ts'
import type { Context } from '../perform/core.ts'
import { heldOf } from '../tasks/held-tasks.ts'
import { operation } from '../perform/operation.ts'
import { withSleeps } from '../hosts/quotas.ts'
import { whereOf } from '../tasks/list.ts'
import { taskView, viewTasks } from '../views/tasks.ts'
import { lazyObject, lazyStrictObject } from '../perform/schemas.ts'

export const windowAsked = lazyStrictObject(() => ({
  around: z.int().default(1).describe('Task in the window; a number larger than any is the end of the board'),
  before: z.int().min(0).max(1000).default(100),
  after: z.int().min(1).max(1000).default(200),
  where: z.string().max(2000).default('').describe('Only tasks that match this filter'),
  among: z
    .array(z.int())
    .max(1000)
    .optional()
    .describe('Only these tasks, wherever they are: a window that find_tasks found'),
}))

export const taskWindow = lazyObject(() => ({
  /** A window of tasks in the order of their numbers. */
  tasks: z.array(taskView()),
  /** Tasks that cannot start now, and why. */
  held: z.array(z.object({ taskId: z.int(), why: z.string() })),
  /** True if there are matching tasks outside of the window. */
  moreBefore: z.boolean(),
  moreAfter: z.boolean(),
}))

export const windowOf = async (
  context: Context,
  { around, before, after, where, among }: z.output<ReturnType<typeof windowAsked>>,
): Promise<z.output<ReturnType<typeof taskWindow>>> => {
  const { db } = context
  const asked = { ...whereOf(where, context), ...(among === undefined ? {} : { ids: among }) }
  const [newest, rest] = await Promise.all([
    selectTasks(db, { beforeId: around, order: 'newest', limit: before + 1, ...asked }),
    selectTasks(db, { fromId: around, limit: after + 1, ...asked }),
  ])
  const earlier = newest.reverse()
  const moreBefore = earlier.length > before
  const moreAfter = rest.length > after
  const rows = [...(moreBefore ? earlier.slice(1) : earlier), ...(moreAfter ? rest.slice(0, after) : rest)]
  const pending = rows.filter((row) => row.status === 'pending')
  const [tasks, held] = await Promise.all([
    viewTasks(db, rows).then((views) => withSleeps(context, views)),
    heldOf(context, pending),
  ])
  return {
    tasks,
    held,
    moreBefore,
    moreAfter,
  }
}

export const readTaskWindow = operation({
  name: 'read_task_window',
  summary: 'Read the tasks around one of them, without the other parts of the board',
  access: 'read',
  authority: 'anyone',
  input: windowAsked,
  output: taskWindow,
  run: windowOf,
})
