import { isDeepStrictEqual } from 'node:util'
import { selectCriteria, selectTasks, type TaskRow } from '../../../db/tasks.ts'
import { replaceDependencies, selectDependencies } from '../../../db/task-dependencies.ts'
import type { Db } from '../../../db/engine/db.ts'
import type { Limits } from '../../../domain/budget/budget.ts'
import { findCycle } from '../../../domain/task/dependencies.ts'
import { type EditableField, editableFields, type FieldChange } from '../../../domain/task/edits.ts'
import { Refusal } from '../../../domain/rules/refusal.ts'
import { placeWishIn, withPlaceWish } from '../../../domain/task/metadata.ts'

type Given = Readonly<Partial<Record<EditableField, unknown>>>

/** The changes that the given fields would make, in the order of the fields; a field with its present value changes nothing. */
export const changesOf = async (
  db: Db,
  task: TaskRow,
  budget: Limits,
  given: Given,
): Promise<readonly FieldChange[]> => {
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

/** The kind, the model (seed 000) and the wish for a host are a part of the metadata. */
export const metadataWith = (
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

export const changeDependencies = async (db: Db, id: number, dependencies: readonly number[]): Promise<void> => {
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
