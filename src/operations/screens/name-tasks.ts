import { z } from 'zod'
import { selectTasks } from '../../db/tasks.ts'
import { selectDependencies } from '../../db/task-dependencies.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'

const named = lazyObject(() => ({ id: z.int(), title: z.string(), priority: z.int(), dependencies: z.array(z.int()) }))
export type NamedTask = z.output<ReturnType<typeof named>>

export const nameTasks = operation({
  name: 'name_tasks',
  summary: 'Read what never changes of these tasks: their titles, priorities and dependencies',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ ids: z.array(z.int()).max(500) }),
  output: () => z.array(named()),
  run: async ({ db }, { ids }) => {
    if (ids.length === 0) return []
    const needs = await selectDependencies(db, ids)
    return (await selectTasks(db, { ids })).map(({ id, title, priority }) => ({
      id,
      title,
      priority,
      dependencies: needs.filter((need) => need.task_id === id).map((need) => need.depends_on),
    }))
  },
})
