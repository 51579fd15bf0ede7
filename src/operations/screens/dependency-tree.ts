import { z } from 'zod'
import {
  selectAncestors,
  selectDependencyPage,
  selectStems,
  selectTreeEnd,
  selectTreeSteps,
  type TreeStep,
} from '../../db/dependency-tree.ts'
import type { Db } from '../../db/engine/db.ts'
import { selectTasks } from '../../db/tasks.ts'
import type { TaskState } from '../../domain/task/task.ts'
import { withSleeps } from '../hosts/quotas.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject, lazyStrictObject } from '../perform/schemas.ts'
import { taskView, type TaskView, viewTasks } from '../views/tasks.ts'

/**
 * The most levels searched for one neighbour. A chain may be as long as the board: more distant rows are not searched,
 * and deeper levels count as this one.
 */
const LEVELS = 64

/** The most ancestors that are counted: so many that no row of a window is as far above its start, except beside a long chain. */
const ABOVE = LEVELS + 400

const treeRow = lazyObject(() => ({
  task: taskView(),
  /** Its depth, at most 64. */
  level: z.int(),
}))

const dependencyTree = lazyObject(() => ({ rows: z.array(treeRow()), moreBefore: z.boolean(), moreAfter: z.boolean() }))

export const readDependencyTree = operation({
  name: 'read_dependency_tree',
  summary: 'Read the dependency tree of the tasks: a window of its rows around one of them',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      at: z.union([z.int(), z.enum(['first', 'last'])]).describe('The task in the window, or an end of the tree'),
      before: z.int().min(0).max(200).default(40),
      after: z.int().min(1).max(200).default(60),
    }),
  output: dependencyTree,
  run: async (context, { at, before, after }) => {
    const { db } = context
    const start = typeof at === 'number' ? at : await selectTreeEnd(db, at, LEVELS)
    if (start === undefined || (await selectTasks(db, { ids: [start] })).length === 0)
      return { rows: [], moreBefore: false, moreAfter: false }
    const ancestors = await selectAncestors(db, start, ABOVE)
    const place = { id: start, stem: ancestors[0] ?? null, levels: LEVELS }
    const [above, below] = await Promise.all([
      selectTreeSteps(db, 'before', { ...place, most: before + 1 }),
      selectTreeSteps(db, 'after', { ...place, most: after }),
    ])
    const steps = [...above.slice(0, before).reverse(), { id: start, level: 0 }, ...below.slice(0, after - 1)]
    const ids = steps.map(({ id }) => id)
    const [views, levels] = await Promise.all([viewsOf(context, ids), levelsOf(db, steps, ancestors.length)])
    return {
      rows: ids.flatMap((id, index) => (views.has(id) ? [{ task: views.get(id)!, level: levels[index]! }] : [])),
      moreBefore: above.length > before,
      moreAfter: below.length >= after,
    }
  },
})

const viewsOf = async (context: Context, ids: readonly number[]): Promise<ReadonlyMap<number, TaskView>> => {
  const { db } = context
  const views = await withSleeps(context, await viewTasks(db, await selectTasks(db, { ids: [...ids] })))
  return new Map(views.map((view) => [view.id, view]))
}

/** The depth of each row, from that of the row where the walk began. */
const levelsOf = (db: Db, steps: readonly TreeStep[], depth: number): Promise<readonly number[]> =>
  Promise.all(
    steps.map(async ({ id, level }) =>
      // Where the walk began may be deeper than was counted; from there it has climbed out of a long chain.
      depth === ABOVE && depth + level < LEVELS
        ? (await selectAncestors(db, id, LEVELS)).length
        : Math.min(LEVELS, depth + level),
    ),
  )

export const readStems = operation({
  name: 'read_stems',
  summary:
    'Read the parent in the dependency tree of each task in a span of numbers, so that a board of any size is read in parts',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ from: z.int().min(0).default(1), span: z.int().min(1).max(10_000).default(2000) }),
  output: () => z.array(z.object({ id: z.int(), stem: z.int().describe('0 if it has no parent') })).readonly(),
  run: ({ db }, { from, span }) => selectStems(db, from, span),
})

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
