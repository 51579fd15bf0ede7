import { z } from 'zod'
import { selectBranch, selectStem } from '../../db/task-tree.ts'
import { selectTasks } from '../../db/tasks.ts'
import type { Db } from '../../db/engine/db.ts'
import { operation } from '../door/operation.ts'
import { withSleeps } from '../agents/steps/sleeps.ts'
import { taskView, viewTasks } from '../views/views.ts'

/**
 * The most levels searched for one neighbour. A chain may be as long as the board: more distant rows are not searched,
 * and deeper levels count as this one.
 */
const LEVELS = 64

const treeRow = z.object({
  task: taskView,
  /** Its depth, at most 64. */
  level: z.int(),
})

const dependencyTree = z.object({ rows: z.array(treeRow), moreBefore: z.boolean(), moreAfter: z.boolean() })

export const readDependencyTree = operation({
  name: 'read_dependency_tree',
  summary: 'Read the dependency tree of the tasks: a window of its rows around one of them',
  access: 'read',
  authority: 'anyone',
  input: z.strictObject({
    at: z.union([z.int(), z.enum(['first', 'last'])]).describe('The task in the window, or an end of the tree'),
    before: z.int().min(0).max(200).default(40),
    after: z.int().min(1).max(200).default(60),
  }),
  output: dependencyTree,
  run: async (context, { at, before, after }) => {
    const { db } = context
    const walk = walker(db)
    const start = at === 'first' ? await walk.branch(null, 'after', 0) : at === 'last' ? await walk.last() : at
    if (start === null || (await selectTasks(db, { ids: [start] })).length === 0)
      return { rows: [], moreBefore: false, moreAfter: false }
    const above = await gather(start, before + 1, walk.before)
    const below = await gather(start, after, walk.after)
    const ids = [...above.slice(0, before).reverse(), start, ...below.slice(0, after - 1)]
    const views = new Map(
      (await withSleeps(context, await viewTasks(db, await selectTasks(db, { ids })))).map((view) => [view.id, view]),
    )
    const levels = await levelsOf(ids, walk.stem)
    return {
      rows: ids.flatMap((id, index) => (views.has(id) ? [{ task: views.get(id)!, level: levels[index]! }] : [])),
      moreBefore: above.length > before,
      moreAfter: below.length >= after,
    }
  },
})

const gather = async (start: number, most: number, next: (id: number) => Promise<number | null>): Promise<number[]> => {
  const ids: number[] = []
  for (let id = await next(start); id !== null && ids.length < most; id = await next(id)) ids.push(id)
  return ids
}

/** Walks the tree in the order of its rows and caches its queries. */
const walker = (db: Db) => {
  const stems = new Map<number, number | null>()
  const branch = async (stem: number | null, side: 'after' | 'before', id: number): Promise<number | null> => {
    const found = await selectBranch(db, stem, side, id)
    if (found !== null) stems.set(found, stem)
    return found
  }
  const stem = async (id: number): Promise<number | null> => {
    if (!stems.has(id)) stems.set(id, await selectStem(db, id))
    return stems.get(id)!
  }
  /** The last row below a task, or the task itself. */
  const lastBelow = async (id: number): Promise<number> => {
    let last = id
    for (let level = 0; level < LEVELS; level++) {
      const next = await branch(last, 'before', Number.MAX_SAFE_INTEGER)
      if (next === null) break
      last = next
    }
    return last
  }
  return {
    branch,
    stem,
    last: async (): Promise<number | null> => {
      const root = await branch(null, 'before', Number.MAX_SAFE_INTEGER)
      return root === null ? null : lastBelow(root)
    },
    before: async (id: number): Promise<number | null> => {
      const above = await stem(id)
      const sibling = await branch(above, 'before', id)
      return sibling === null ? above : lastBelow(sibling)
    },
    after: async (id: number): Promise<number | null> => {
      const child = await branch(id, 'after', 0)
      if (child !== null) return child
      let at: number | null = id
      for (let level = 0; at !== null && level <= LEVELS; level++) {
        const above: number | null = await stem(at)
        const sibling = await branch(above, 'after', at)
        if (sibling !== null) return sibling
        at = above
      }
      return null
    },
  }
}

/** The depth of each row; rows with a common ancestor share the result. */
const levelsOf = async (
  ids: readonly number[],
  stem: (id: number) => Promise<number | null>,
): Promise<readonly number[]> => {
  const known = new Map<number, number>()
  const levels: number[] = []
  for (const id of ids) {
    const chain: number[] = []
    let at: number | null = id
    while (at !== null && !known.has(at) && chain.length <= LEVELS) {
      chain.push(at)
      at = await stem(at)
    }
    let level = at === null ? -1 : (known.get(at) ?? LEVELS)
    for (const one of chain.reverse()) known.set(one, (level = Math.min(LEVELS, level + 1)))
    levels.push(known.get(id)!)
  }
  return levels
}
