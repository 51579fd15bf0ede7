import { z } from 'zod'
import { insertDependencies } from '../../db/task-dependencies.ts'
import { selectTasks } from '../../db/tasks.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { findCycle } from '../../domain/task/dependencies.ts'
import { once } from '../../domain/words/once.ts'
import type { Context } from '../perform/core.ts'
import { refuseUnknownKind } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { taskView, viewTasks } from '../views/tasks.ts'
import { addTask, budgetInput, checkDraft, refuseBudget, setBudget, taskDraft } from './create.ts'

/** A task of a list: as `create_task` takes it, with positions in the list as dependencies. */
const listedTask = once(() =>
  taskDraft().extend({
    dependencies: taskDraft().shape.dependencies.describe('Positions in the list, from 1'),
    kind: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Kind of agent that does it (default: as configured for the persona)'),
    model: z.string().min(1).max(200).optional().describe('Model that the agent uses'),
    budget: budgetInput,
  }),
)
type ListedTask = z.output<ReturnType<typeof listedTask>>

const list = once(() => z.array(listedTask()).min(1, 'the list is empty').max(10_000))

export const importTasks = operation({
  name: 'import_tasks',
  summary: 'Create a list of tasks; dependencies are positions in the list, from 1',
  access: 'write',
  authority: 'anyone',
  input: list,
  output: () => z.array(taskView()),
  run: async (context, drafts) => {
    refuseWrongPlaces(drafts)
    const ids: number[] = []
    for (const [at, draft] of drafts.entries()) {
      const { budget, ...task } = draft
      refuseBudget(context, budget)
      ids.push(await atPlace(at + 1, async () => addTask(context, draftOf(context, task))))
      await setBudget(context, ids[at]!, budget)
    }
    // A task may depend on a later one in the list, so dependencies are added last.
    for (const [at, draft] of drafts.entries()) {
      await insertDependencies(
        context.db,
        ids[at]!,
        [...new Set(draft.dependencies)].map((place) => ids[place - 1]!),
      )
    }
    const views: z.output<ReturnType<typeof taskView>>[] = []
    for (let at = 0; at < ids.length; at += 500) {
      views.push(...(await viewTasks(context.db, await selectTasks(context.db, { ids: ids.slice(at, at + 500) }))))
    }
    return views
  },
  subject: (tasks) => ({ details: { tasks: tasks.map((task) => task.id) } }),
})

/** The checks of an import, without one. */
export const checkTasks = operation({
  name: 'check_tasks',
  summary: 'Check a list of tasks as an import does, and create nothing',
  access: 'read',
  authority: 'anyone',
  input: list,
  output: () => z.object({ tasks: z.int() }),
  run: async (context, drafts) => {
    refuseWrongPlaces(drafts)
    for (const [at, { budget, ...task }] of drafts.entries()) {
      refuseBudget(context, budget)
      await atPlace(at + 1, async () => checkDraft(context, draftOf(context, task)))
    }
    return { tasks: drafts.length }
  },
})

/** The draft of one task without its dependencies; its kind and model are a part of the metadata (seed 000). */
const draftOf = (
  context: Context,
  { kind, model, ...draft }: Omit<ListedTask, 'budget'>,
): z.output<ReturnType<typeof taskDraft>> => {
  if (kind !== undefined) refuseUnknownKind(context, kind)
  const metadata =
    kind === undefined && model === undefined ? {} : { metadata: withAgent(draft.metadata, { kind, model }) }
  return { ...draft, dependencies: [], ...metadata }
}

const withAgent = (
  metadata: ListedTask['metadata'],
  { kind, model }: Pick<ListedTask, 'kind' | 'model'>,
): ListedTask['metadata'] => {
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)))
    throw new Refusal(
      'invalid_input',
      'The kind and the model are stored in the metadata, so the metadata must be a JSON object.',
    )
  return { ...metadata, ...(kind === undefined ? {} : { cli: kind }), ...(model === undefined ? {} : { model }) }
}

/** A refusal names the task in the list. */
const atPlace = async <T>(place: number, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw isRefusal(error)
      ? new Refusal(error.code, `Task ${place} of the list: ${error.message}`, { cause: error })
      : error
  }
}

const refuseWrongPlaces = (drafts: readonly ListedTask[]): void => {
  for (const [at, draft] of drafts.entries()) {
    const wrong = draft.dependencies.find((place) => place > drafts.length)
    if (wrong !== undefined)
      throw new Refusal(
        'not_found',
        `Task ${at + 1} of the list depends on task ${wrong}, but the list has ${drafts.length}.`,
      )
  }
  const cycle = findCycle(new Map(drafts.map((draft, at) => [at + 1, draft.dependencies])))
  if (cycle)
    throw new Refusal('dependency_cycle', `The dependencies form a cycle (${cycle.join(' → ')}). Remove one of them.`)
}
