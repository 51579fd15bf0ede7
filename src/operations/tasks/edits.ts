import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Db } from '../../db/engine/db.ts'
import { selectTaskEvents } from '../../db/events.ts'
import { replaceDependencies, selectDependencies } from '../../db/task-dependencies.ts'
import { changeTask, replaceCriteria, selectCriteria, selectTasks, type TaskRow } from '../../db/tasks.ts'
import { budgetOf, budgetWords, isPassed, type Limits } from '../../domain/budget/budget.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { RecordedOperation } from '../../domain/session/replay.ts'
import { findCycle } from '../../domain/task/dependencies.ts'
import { type EditableField, editableFields, type FieldChange, whyNotChanged } from '../../domain/task/edits.ts'
import { placeWishIn, withPlaceWish } from '../../domain/task/metadata.ts'
import { budgetOfTask, saveTaskBudget, usageOfTask } from '../budgets/budgets.ts'
import type { Context } from '../perform/core.ts'
import { findTask, findTaskFacts, refuseUnknownKind } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject, parsed, taskId, text } from '../perform/schemas.ts'
import { resetProgress } from '../requests/requests.ts'
import { taskView, viewTask } from '../views/tasks.ts'
import { refuseWish, taskDraft } from './create.ts'

// A person changes a task; the history of its changes.

const { priority, dependencies, acceptanceCriteria, labels } = taskDraft().shape
/** Null: as configured. */
const named = z.string().trim().min(1).max(200).nullable()

export const editTask = operation({
  name: 'edit_task',
  summary:
    'Change what may still change of a task: description, priority, dependencies, criteria, kind, model, host, labels, budget',
  access: 'write',
  authority: 'person',
  input: () =>
    z.strictObject({
      taskId,
      description: text(200_000).optional(),
      priority: priority.unwrap().optional(),
      dependencies: dependencies.unwrap().optional(),
      acceptanceCriteria: acceptanceCriteria.unwrap().optional(),
      kind: named.optional(),
      model: named.optional(),
      /** Null: any. */
      host: named.optional(),
      labels,
      /** A null limit is none; a missing one stays. */
      budget: z
        .strictObject({
          costUsd: z.number().positive('a budget is greater than 0').max(1e9).nullable().optional(),
          tokens: z.int().positive('a budget is greater than 0').nullable().optional(),
        })
        .optional(),
    }),
  output: () =>
    z.object({
      task: taskView(),
      changes: z.array(z.object({ field: z.enum(editableFields), from: z.unknown(), to: z.unknown() })),
    }),
  run: async (context, { taskId: id, ...given }) => {
    const { db } = context
    const { task, facts } = await findTaskFacts(db, id)
    const changes = await changesOf(db, task, (await budgetOfTask(context, id)).budget, given)
    const why = whyNotChanged(
      facts,
      task.command !== null,
      changes.map(({ field }) => field),
    )
    if (why !== undefined) throw new Refusal('invalid_state', why)
    for (const change of changes) await apply(context, id, change)
    if (changes.some(({ field }) => field === 'host' || field === 'labels'))
      await refuseWish(context, await findTask(db, id), { here: MAKE_ANOTHER, there: moveWorktree })
    return { task: await viewTask(db, id), changes: [...changes] }
  },
  // An edit that changes nothing leaves no event.
  subject: ({ task, changes }) =>
    changes.length === 0 ? null : { taskId: task.id, worktree: task.targetWorktree, details: { changes } },
})

export type TaskEdit = Omit<z.input<typeof editTask.input>, 'taskId'>

type Given = Readonly<Partial<Record<EditableField, unknown>>>

/** The changes that the given fields would make, in the order of the fields; a field with its present value changes nothing. */
const changesOf = async (db: Db, task: TaskRow, budget: Limits, given: Given): Promise<readonly FieldChange[]> => {
  const present = await presentOf(db, task, budget)
  return editableFields.flatMap((field) => {
    const from = present[field]
    const to = given[field] === undefined ? undefined : valueOf(field, given[field], from)
    return to === undefined || isDeepStrictEqual(from, to) ? [] : [{ field, from, to }]
  })
}

const valueOf = (field: EditableField, given: unknown, present: unknown): unknown => {
  if (field === 'dependencies') return sorted(given as readonly number[])
  if (field === 'labels') return [...new Set(given as readonly string[])]
  // A limit that is not named stays.
  if (field === 'budget') return { ...(present as Limits), ...(given as Partial<Limits>) }
  return given
}

const sorted = (ids: readonly number[]): readonly number[] => [...new Set(ids)].sort((a, b) => a - b)

const presentOf = async (
  db: Db,
  task: TaskRow,
  { costUsd, tokens }: Limits,
): Promise<Readonly<Record<EditableField, unknown>>> => {
  const { cli = null, model = null } = metadataOf(task) ?? {}
  const { host = null, labels = [] } = placeWishIn(task.metadata) ?? {}
  return {
    description: task.description,
    priority: task.priority,
    dependencies: sorted((await selectDependencies(db, [task.id])).map((need) => need.depends_on)),
    acceptanceCriteria: (await selectCriteria(db, [task.id])).map((criterion) => criterion.text),
    kind: cli,
    model,
    host,
    labels,
    budget: { costUsd, tokens },
  }
}

const apply = async (context: Context, id: number, { field, to }: FieldChange): Promise<void> => {
  const { db } = context
  if (field === 'description') await changeTask(db, id, { description: to as string })
  else if (field === 'priority') await changeTask(db, id, { priority: to as number })
  else if (field === 'dependencies') await changeDependencies(db, id, to as readonly number[])
  else if (field === 'acceptanceCriteria') await replaceCriteria(db, id, to as readonly string[])
  else if (field === 'budget') await changeBudget(context, id, to as Limits)
  else {
    if (field === 'kind' && typeof to === 'string') refuseUnknownKind(context, to)
    await changeTask(db, id, { metadata: metadataWith(await findTask(db, id), { [field]: to }) })
  }
}

const MAKE_ANOTHER = 'Create another task, with a worktree of its own.'
const moveWorktree = (worktree: string): string => `Move it with 'aiswarm worktree move ${worktree} --host H'.`

/** The kind, the model (seed 000) and the wish for a host are a part of the metadata. */
const metadataWith = (
  task: TaskRow,
  {
    kind,
    model,
    ...place
  }: {
    readonly kind?: string | null | undefined
    readonly model?: string | null | undefined
    readonly host?: string | null | undefined
    readonly labels?: readonly string[] | undefined
  },
): string | null => {
  const known = metadataOf(task)
  if (!known)
    throw new Refusal('invalid_state', `The metadata of task ${task.id} is no JSON object, which could hold it.`)
  const { cli, model: before, ...rest } = withPlaceWish(known, place)
  const [wantedKind, wantedModel] = [kind === undefined ? cli : kind, model === undefined ? before : model]
  const next = {
    ...rest,
    ...(wantedKind === null || wantedKind === undefined ? {} : { cli: wantedKind }),
    ...(wantedModel === null || wantedModel === undefined ? {} : { model: wantedModel }),
  }
  return Object.keys(next).length === 0 ? null : JSON.stringify(next)
}

/** Undefined if it is a JSON value that has no keys. */
const metadataOf = ({ metadata }: TaskRow): Readonly<Record<string, unknown>> | undefined => {
  const value: unknown = metadata === null ? {} : JSON.parse(metadata)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

const changeDependencies = async (db: Db, id: number, dependencies: readonly number[]): Promise<void> => {
  await refuseMissing(db, dependencies)
  await refuseCycle(db, id, dependencies)
  await replaceDependencies(db, id, dependencies)
}

const refuseMissing = async (db: Db, dependencies: readonly number[]): Promise<void> => {
  if (dependencies.length === 0) return
  const known = new Set((await selectTasks(db, { ids: dependencies })).map(({ id }) => id))
  const missing = dependencies.find((id) => !known.has(id))
  if (missing !== undefined) throw new Refusal('not_found', `There is no task ${missing} to depend on.`)
}

/** Refuses dependencies of a task that need the task itself; reads only what they depend on. */
const refuseCycle = async (db: Db, id: number, dependencies: readonly number[]): Promise<void> => {
  const edges = new Map<number, readonly number[]>([[id, dependencies]])
  let next = dependencies.filter((one) => one !== id)
  while (next.length > 0) {
    const needs = await selectDependencies(db, next)
    for (const one of next) edges.set(one, [])
    for (const { task_id, depends_on } of needs) edges.set(task_id, [...edges.get(task_id)!, depends_on])
    next = [...new Set(needs.map(({ depends_on }) => depends_on))].filter((one) => !edges.has(one))
  }
  const cycle = findCycle(edges)
  if (cycle)
    throw new Refusal('dependency_cycle', `The dependencies form a cycle (${cycle.join(' → ')}). Remove one of them.`)
}

/** Sets the budget of a task that exists. One that is used up asks a person no more: this is the answer. */
export const changeBudget = async (context: Context, taskId: number, limits: Limits): Promise<void> => {
  const usage = await usageOfTask(context, taskId)
  if (isPassed(limits, usage))
    throw new Refusal(
      'invalid_input',
      `That budget is already used up: ${budgetWords(limits, usage)}. Set a higher one, or none.`,
    )
  await saveTaskBudget(context, taskId, { budget: budgetOf(limits), askedAt: null })
  await resetProgress(context, taskId)
}

const fieldChange = lazyObject(() => ({ field: z.enum(editableFields), from: z.unknown(), to: z.unknown() }))

const entry = lazyObject(() => ({
  at: z.string(),
  actor: z.string(),
  did: z.enum(['created', 'edited', 'retried', 'cancelled', 'budget']),
  changes: z.array(fieldChange()),
}))
export type TaskHistoryEntry = z.output<ReturnType<typeof entry>>

const verbs = {
  edit_task: 'edited',
  retry_task: 'retried',
  cancel_task: 'cancelled',
  answer_budget: 'budget',
} as const satisfies Partial<Record<RecordedOperation, TaskHistoryEntry['did']>>

/** The most entries that are read, the newest. */
const MOST = 500

export const getTaskHistory = operation({
  name: 'get_task_history',
  summary: 'Show who changed a task, when and what, oldest first',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ taskId }),
  output: () => z.array(entry()),
  run: async ({ db }, input) => {
    const task = await findTask(db, input.taskId)
    const events = await selectTaskEvents(db, { ...input, operations: Object.keys(verbs), limit: MOST })
    return [
      { at: task.created_at, actor: task.created_by ?? 'unknown', did: 'created' as const, changes: [] },
      ...events.map(({ at, actor, operation, details }) => ({
        at,
        actor,
        did: verbs[operation as keyof typeof verbs],
        changes: changesIn(parsed(details)),
      })),
    ]
  },
})

const changesIn = (details: unknown): z.output<ReturnType<typeof fieldChange>>[] => {
  const read = z.object({ changes: z.array(fieldChange()) }).safeParse(details)
  return read.success ? read.data.changes : []
}
