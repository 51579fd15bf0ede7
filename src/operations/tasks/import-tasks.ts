import { z } from 'zod'
import { selectTasks } from '../../db/tasks.ts'
import { insertDependencies } from '../../db/task-dependencies.ts'
import { findCycle } from '../../domain/task/dependencies.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { addTask, taskDraft } from './steps/add-task.ts'
import type { Context } from '../door/core.ts'
import { operation } from '../door/operation.ts'
import { taskView, viewTasks } from '../views/views.ts'

export const importTasks = operation({
  name: 'import_tasks',
  summary: 'Create a list of tasks; dependencies are positions in the list, from 1',
  access: 'write',
  authority: 'anyone',
  input: z.array(taskDraft).min(1, 'the list is empty').max(10_000),
  output: z.array(taskView),
  run: async (context, drafts) => {
    refuseWrongPlaces(drafts)
    const ids: number[] = []
    for (const [at, draft] of drafts.entries()) ids.push(await addAt(context, at + 1, { ...draft, dependencies: [] }))
    // A task may depend on a later one in the list, so dependencies are added last.
    for (const [at, draft] of drafts.entries()) {
      await insertDependencies(
        context.db,
        ids[at]!,
        [...new Set(draft.dependencies)].map((place) => ids[place - 1]!),
      )
    }
    const views: z.output<typeof taskView>[] = []
    for (let at = 0; at < ids.length; at += 500) {
      views.push(...(await viewTasks(context.db, await selectTasks(context.db, { ids: ids.slice(at, at + 500) }))))
    }
    return views
  },
  subject: (tasks) => ({ details: { tasks: tasks.map((task) => task.id) } }),
})

/** A refusal names the task in the list. */
const addAt = async (context: Context, place: number, draft: z.output<typeof taskDraft>): Promise<number> => {
  try {
    return await addTask(context, draft)
  } catch (error) {
    throw isRefusal(error) ? new Refusal(error.code, `Task ${place} of the list: ${error.message}`, { cause: error }) : error
  }
}

const refuseWrongPlaces = (drafts: readonly z.output<typeof taskDraft>[]): void => {
  for (const [at, draft] of drafts.entries()) {
    const wrong = draft.dependencies.find((place) => place > drafts.length)
    if (wrong !== undefined) throw new Refusal('not_found', `Task ${at + 1} of the list depends on task ${wrong}, but the list has ${drafts.length}.`)
  }
  const cycle = findCycle(new Map(drafts.map((draft, at) => [at + 1, draft.dependencies])))
  if (cycle) throw new Refusal('dependency_cycle', `The dependencies form a cycle (${cycle.join(' → ')}). Remove one of them.`)
}
