import { z } from 'zod'
import { selectDependencyPage } from '../../db/dependency-tree.ts'
import type { TaskState } from '../../domain/task/task.ts'
import { operation } from '../perform/operation.ts'
import { lazyStrictObject } from '../perform/schemas.ts'

const place = lazyStrictObject(() => ({ taskId: z.int(), dependsOn: z.int() }))

export const readOpenDependencies = operation({
  name: 'read_open_dependencies',
  summary: 'List the dependencies between unfinished tasks, a page of all dependencies at a time',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      after: place().default({ taskId: 0, dependsOn: 0 }),
      limit: z.int().min(1).max(10_000).default(500),
    }),
  output: () => z.object({ dependencies: z.array(place()), next: place().nullable() }),
  run: async ({ db }, { after, limit }) => {
    const rows = await selectDependencyPage(db, after, limit)
    const last = rows.length < limit ? undefined : rows.at(-1)
    return {
      dependencies: rows
        .filter((row) => isOpen(row.status) && isOpen(row.needed))
        .map((row) => ({ taskId: row.task_id, dependsOn: row.depends_on })),
      next: last ? { taskId: last.task_id, dependsOn: last.depends_on } : null,
    }
  },
})

/** A failed task must still be done. */
const isOpen = (status: TaskState): boolean => status !== 'completed' && status !== 'cancelled'
