import { z } from 'zod'
import { selectTask, selectTasks } from '../../db/tasks.ts'
import { boardColumns, columnOf, statusesIn } from '../../domain/task/task.ts'
import { withSleeps } from '../hosts/quotas.ts'
import { operation } from '../perform/operation.ts'
import { whereOf } from '../tasks/list.ts'
import { taskView, viewTasks } from '../views/tasks.ts'

const column = z.enum(boardColumns)

export const readColumns = operation({
  name: 'read_columns',
  summary: 'Read the board as columns by state: a window of tasks for each requested column',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      columns: z
        .array(
          z.strictObject({
            column,
            around: z.int().describe('Task in the window; a number larger than any is the end of the column'),
          }),
        )
        .max(boardColumns.length),
      selected: z.int().nullable().default(null).describe('Task around which the window of its column is read'),
      before: z.int().min(0).max(500).default(40),
      after: z.int().min(1).max(500).default(80),
      where: z.string().max(2000).default('').describe('Only tasks that match this filter'),
    }),
  output: () =>
    z.array(z.object({ column, tasks: z.array(taskView()), moreBefore: z.boolean(), moreAfter: z.boolean() })),
  run: async (context, { columns, selected, before, after, where }) => {
    const { db } = context
    const asked = whereOf(where, context)
    const chosen = selected === null ? undefined : await selectTask(db, selected)
    const own = chosen && columnOf(chosen.status)
    const read = columns.map(({ column, around }) => ({ column, around: column === own ? selected! : around }))
    // The selected task may have moved to a column that was not visible before.
    if (own !== undefined && !read.some(({ column }) => column === own)) read.push({ column: own, around: selected! })
    return Promise.all(
      read.map(async ({ column, around }) => {
        const statuses = statusesIn(column)
        const earlier =
          before === 0
            ? []
            : (
                await selectTasks(db, { statuses, beforeId: around, order: 'newest', limit: before + 1, ...asked })
              ).reverse()
        const rest = await selectTasks(db, { statuses, fromId: around, limit: after + 1, ...asked })
        const [moreBefore, moreAfter] = [earlier.length > before, rest.length > after]
        return {
          column,
          tasks: await withSleeps(
            context,
            await viewTasks(db, [...(moreBefore ? earlier.slice(1) : earlier), ...rest.slice(0, after)]),
          ),
          moreBefore,
          moreAfter,
        }
      }),
    )
  },
})
