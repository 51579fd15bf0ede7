import { z } from 'zod'
import type { TaskWhere } from '../../db/task-filter.ts'
import { selectQueue } from '../../db/task-queue.ts'
import { selectTasks, type TaskRow } from '../../db/tasks.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { kindRules } from '../../domain/settings/persona-settings.ts'
import { parseFilter } from '../../domain/task/filter-parser.ts'
import { taskStates } from '../../domain/task/task.ts'
import { once } from '../../domain/words/once.ts'
import { later } from '../../domain/words/time.ts'
import { withSleeps } from '../hosts/quotas.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { personaId, worktreeName } from '../perform/schemas.ts'
import { taskView, type TaskView, viewTasks } from '../views/tasks.ts'

// Lists of tasks, flat or as a tree of subtasks, and the filter that a person types.

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

/** The condition on tasks for a typed filter now; empty if it has no terms. */
export const whereOf = (
  filter: string,
  { now, settings }: Pick<Context, 'now' | 'settings'>,
): { where?: TaskWhere } => {
  const { terms, problem } = parseFilter(filter)
  if (problem !== null) throw new Refusal('invalid_input', problem)
  return terms.length === 0
    ? {}
    : { where: { terms, now, quietSince: later(now, -settings.lease.stalledAfter), kinds: kindRules(settings) } }
}

export interface TaskNode extends TaskView {
  readonly children: TaskNode[]
}

const taskNode: () => z.ZodType<TaskNode> = once(() =>
  taskView().extend({
    get children() {
      return z.array(taskNode())
    },
  }),
)

export const getTaskTree = operation({
  name: 'get_task_tree',
  summary: 'Show the tasks as a tree of subtasks; a filter keeps the ancestors of what matches',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ filterStatus: z.enum(taskStates).optional(), filterPersona: personaId.optional() }),
  output: () => z.array(taskNode()),
  run: async ({ db }, { filterStatus, filterPersona }) => {
    const rows = await selectTasks(db, {})
    const views: TaskView[] = []
    for (let at = 0; at < rows.length; at += 1000) views.push(...(await viewTasks(db, rows.slice(at, at + 1000))))
    const kept = withAncestors(
      views,
      (task) =>
        (filterStatus === undefined || task.status === filterStatus) &&
        (filterPersona === undefined || task.personaId === filterPersona),
    )
    return nest(views.filter((task) => kept.has(task.id)))
  },
})

const withAncestors = (tasks: readonly TaskView[], matches: (task: TaskView) => boolean): ReadonlySet<number> => {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const kept = new Set<number>()
  for (const task of tasks) {
    if (!matches(task)) continue
    for (
      let at: TaskView | undefined = task;
      at && !kept.has(at.id);
      at = at.parentTaskId === null ? undefined : byId.get(at.parentTaskId)
    )
      kept.add(at.id)
  }
  return kept
}

const nest = (tasks: readonly TaskView[]): TaskNode[] => {
  const nodes = new Map(tasks.map((task) => [task.id, { ...task, children: [] as TaskNode[] }]))
  const roots: TaskNode[] = []
  for (const node of nodes.values()) {
    const parent = node.parentTaskId === null ? undefined : nodes.get(node.parentTaskId)
    if (parent) parent.children.push(node)
    else roots.push(node)
  }
  return roots
}
