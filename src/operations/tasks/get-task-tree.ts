import { z } from 'zod'
import { selectTasks } from '../../db/tasks.ts'
import { taskStates } from '../../domain/task/task.ts'
import { once } from '../../domain/words/once.ts'
import { personaId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { taskView, type TaskView, viewTasks } from '../views/tasks.ts'

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
