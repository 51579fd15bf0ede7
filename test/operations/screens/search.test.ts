import fc from 'fast-check'
import { expect, test } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { parseFilter } from '../../../src/domain/task/filter-parser.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { findTasks } from '../../../src/operations/screens/search.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import {
  claimTask,
  completeTask,
  failTask,
  reportTaskProgress,
  startTask,
} from '../../../src/operations/tasks/claims.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { openCore, refusal, type World } from '../../support/core.ts'
import { agents, filterText, personas, plainly, titles, worktrees } from '../../support/filters.ts'

/** Thirty tasks in every state, created and changed at different times. */
const board = async (): Promise<World> => {
  const world = await openCore()
  const { perform, task, pass } = world
  const actors = await Promise.all(agents.map((id, n) => world.agent(id, { personaId: personas[n]! })))
  for (const name of worktrees) await world.worktree(name, `feature/${worktrees.indexOf(name)}`)
  for (let n = 0; n < 30; n++) {
    if (n === 12) await perform(beginSession, {}, system())
    const worktree = worktrees[n % 4]
    const { id } = await task({
      title: titles[n % titles.length] || `task ${n}`,
      personaId: personas[n % 3]!,
      priority: (n % 9) - 2,
      ...(worktree === undefined ? {} : { targetWorktree: worktree }),
      ...(n % 5 === 4 ? { dependencies: [n] } : {}),
    })
    pass(7_000 + n * 500)
    if (n % 5 === 4 || n % 6 === 0) continue
    const agentId = agents[n % 3]!
    const actor = actors[n % 3]!
    if (n % 7 === 5) {
      await perform(cancelTask, { taskId: id })
      continue
    }
    await perform(claimTask, { taskId: id, agentId }, actor)
    if (n % 6 === 1) continue
    await perform(startTask, { taskId: id, agentId }, actor)
    if (n % 6 === 2)
      await perform(reportTaskProgress, { taskId: id, agentId, progressNote: 'half', percentComplete: 50 }, actor)
    if (n % 6 === 3) await perform(completeTask, { taskId: id, agentId }, actor)
    // Some wait for their retry, some have failed for good.
    if (n % 6 === 5) await perform(failTask, { taskId: id, agentId, errorMessage: 'no' }, actor)
    if (n % 6 === 4) continue
  }
  pass(20_000)
  // The tasks that others wait for are completed at the end.
  for (const { id, status } of await perform(listTasks, {})) {
    const n = id - 1
    if (status === 'in_progress' && id % 5 === 4)
      await perform(completeTask, { taskId: id, agentId: agents[n % 3]! }, actors[n % 3])
  }
  pass(20_000)
  return world
}

test('the database finds the tasks that the filter terms describe, in every state', async () => {
  const world = await board()
  const { perform, now, core } = world
  const all = await perform(listTasks, {})
  expect(new Set(all.map((task) => task.status)).size).toBeGreaterThanOrEqual(5)
  expect(
    all.some(
      ({ status, unblockedAt, changedAt }) => status === 'pending' && unblockedAt !== null && unblockedAt > changedAt,
    ),
  ).toBe(true)
  const { stalledAfter } = core.settings.lease
  let hits = 0
  await fc.assert(
    fc.asyncProperty(filterText, fc.integer({ min: 1, max: 40 }), async (where, span) => {
      const expected = all
        .filter((task) => plainly(parseFilter(where).terms, task, now(), stalledAfter))
        .map((task) => task.id)
      if (expected.length > 0 && expected.length < all.length) hits++
      expect((await perform(listTasks, { where })).map((task) => task.id)).toEqual(expected)
      const found: number[] = []
      for (let from: number | null = 1; from !== null;) {
        const piece: { readonly ids: readonly number[]; readonly next: number | null } = await perform(findTasks, {
          where,
          from,
          span,
        })
        found.push(...piece.ids)
        from = piece.next
      }
      expect(found).toEqual(expected)
      expect((await perform(readBoard, { where, after: 100 })).tasks.map((task) => task.id)).toEqual(expected)
    }),
    { numRuns: 300 },
  )
  expect(hits).toBeGreaterThan(50)
})

test('a filter narrows the result of the other list options', async () => {
  const { perform } = await board()
  const both = await perform(listTasks, { status: 'pending', where: 'priority>=3 -blocked:yes' })
  expect(both.length).toBeGreaterThan(0)
  expect(both.every((task) => task.status === 'pending' && task.priority >= 3 && task.blockedBy.length === 0)).toBe(
    true,
  )
})

test('a window is read of the found tasks, without those that no longer match the filter', async () => {
  const { perform, task } = await openCore()
  for (const title of ['bake', 'cool', 'bake again']) await task({ title })
  const window = await perform(readBoard, { where: 'bake', among: [1, 2, 3], around: 2 })
  expect(window.tasks.map(({ id }) => id)).toEqual([1, 3])
})

test('a search reads no more tasks than requested', async () => {
  const { perform, task } = await openCore()
  for (let n = 0; n < 12; n++) await task({ title: `task ${n}` })
  expect(await perform(findTasks, { where: 'task', from: 1, span: 5 })).toEqual({ ids: [1, 2, 3, 4, 5], next: 6 })
  expect(await perform(findTasks, { where: 'nothing', from: 6, span: 5 })).toEqual({ ids: [], next: 11 })
  expect(await perform(findTasks, { where: '', from: 11, span: 5 })).toEqual({ ids: [11, 12], next: null })
})

test('an invalid filter is refused with its message', async () => {
  const { perform } = await openCore()
  for (const work of [
    () => perform(listTasks, { where: 'age>ten' }),
    () => perform(findTasks, { where: 'age>ten' }),
    () => perform(readBoard, { where: 'age>ten' }),
  ]) {
    expect(await refusal(work())).toMatchObject({
      code: 'invalid_input',
      message: "'age>ten': age takes > or < and a duration (s, m, h or d), as in age>10m.",
    })
  }
})
