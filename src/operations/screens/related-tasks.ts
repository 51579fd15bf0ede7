import { z } from 'zod'
import { selectDependencies, selectDependents } from '../../db/task-dependencies.ts'
import { selectChildren, selectTasks, type TaskRow } from '../../db/tasks.ts'
import { taskStates } from '../../domain/task/task.ts'
import { findTask, findWorktree } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject, taskId, worktreeName } from '../perform/schemas.ts'

/** The most tasks of one relation. */
const MOST = 200

const relations = ['needs', 'needed by', 'subtask', 'works in it'] as const

const relatedTask = lazyObject(() => ({
  relation: z.enum(relations),
  id: z.int(),
  title: z.string(),
  status: z.enum(taskStates),
}))
export type RelatedTask = z.output<ReturnType<typeof relatedTask>>

export const readRelatedTasks = operation({
  name: 'read_related_tasks',
  summary: 'List the dependencies, dependents and subtasks of a task, or the tasks of a worktree',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({ of: z.union([z.strictObject({ taskId }), z.strictObject({ worktree: worktreeName })]) }),
  output: () => z.array(relatedTask()),
  run: async ({ db }, { of }) => {
    const rows = async (relation: RelatedTask['relation'], ids: readonly number[]): Promise<RelatedTask[]> =>
      ids.length === 0 ? [] : (await selectTasks(db, { ids: ids.slice(0, MOST) })).map(said(relation))
    if ('worktree' in of) {
      await findWorktree(db, of.worktree)
      return (await selectTasks(db, { worktree: of.worktree, limit: MOST })).map(said('works in it'))
    }
    await findTask(db, of.taskId)
    const needs = (await selectDependencies(db, [of.taskId])).map((row) => row.depends_on)
    return [
      ...(await rows('needs', needs)),
      ...(await rows('needed by', await selectDependents(db, of.taskId))),
      ...(await rows('subtask', await selectChildren(db, of.taskId))),
    ]
  },
})

const said =
  (relation: RelatedTask['relation']) =>
  ({ id, title, status }: TaskRow): RelatedTask => ({ relation, id, title, status })

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
