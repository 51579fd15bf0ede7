import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { importTasks } from '../../../src/operations/tasks/import.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask, completeTask } from '../../../src/operations/tasks/claims.ts'
import { readColumns } from '../../../src/operations/screens/columns.ts'
import { readDependencyTree, readOpenDependencies, readStems } from '../../../src/operations/screens/dependency-tree.ts'
import { openCore, type World } from '../../support/core.ts'
import { countStatements } from '../../support/statements.ts'
import { byHand } from '../../support/store.ts'
import { testedStore } from '../../support/template.ts'

describe('the columns of the board', () => {
  it('contain the tasks of their states, claimed tasks among the tasks in progress', async () => {
    const { task, agent, perform } = await openCore()
    for (let n = 0; n < 5; n++) await task()
    const a = await agent('a')
    await perform(claimTask, { taskId: 2, agentId: 'a' }, a)
    await perform(cancelTask, { taskId: 4 })
    const columns = (['pending', 'working', 'cancelled'] as const).map((column) => ({ column, around: 1 }))
    expect(
      (await perform(readColumns, { columns })).map(({ column, tasks }) => [column, tasks.map(({ id }) => id)]),
    ).toEqual([
      ['pending', [1, 3, 5]],
      ['working', [2]],
      ['cancelled', [4]],
    ])
  })

  it('are read around the selection, in its current column, and say that there are more tasks', async () => {
    const { task, perform } = await openCore()
    for (let n = 0; n < 20; n++) await task()
    await perform(cancelTask, { taskId: 10 })
    const read = await perform(readColumns, {
      columns: [{ column: 'pending', around: 8 }],
      selected: 10,
      before: 2,
      after: 3,
    })
    expect(
      read.map(({ column, tasks, moreBefore, moreAfter }) => [
        column,
        tasks.map(({ id }) => id),
        moreBefore,
        moreAfter,
      ]),
    ).toEqual([
      ['pending', [6, 7, 8, 9, 11], true, true],
      ['cancelled', [10], false, false],
    ])
    const end = await perform(readColumns, {
      columns: [{ column: 'pending', around: Number.MAX_SAFE_INTEGER }],
      before: 2,
    })
    expect(end[0]!.tasks.map(({ id }) => id)).toEqual([19, 20])
  })

  it('show only the tasks that match a filter', async () => {
    const { task, perform } = await openCore()
    await task({ title: 'login' })
    await task({ title: 'logout' })
    const read = await perform(readColumns, { columns: [{ column: 'pending', around: 1 }], where: 'logout' })
    expect(read[0]!.tasks.map(({ id }) => id)).toEqual([2])
  })
})

/**
 *  1            5
 *  ├ 2          └ 6
 *  │ └ 4 (also needs 1)
 *  └ 3
 */
const forest = async ({ task }: World): Promise<void> => {
  await task({ title: 'root' })
  await task({ dependencies: [1] })
  await task({ dependencies: [1] })
  await task({ dependencies: [1, 2] })
  await task({ title: 'other' })
  await task({ dependencies: [5] })
}

describe('the tree of dependencies', () => {
  it('contains each task once, below the last task that it depends on', async () => {
    const world = await openCore()
    await forest(world)
    const tree = await world.perform(readDependencyTree, { at: 'first' })
    expect(tree.rows.map(({ task, level }) => [task.id, level])).toEqual([
      [1, 0],
      [2, 1],
      [4, 2],
      [3, 1],
      [5, 0],
      [6, 1],
    ])
    expect([tree.moreBefore, tree.moreAfter]).toEqual([false, false])
  })

  it('is the same in every window', async () => {
    const world = await openCore()
    await forest(world)
    const whole = [1, 2, 4, 3, 5, 6]
    for (const [index, id] of whole.entries()) {
      const window = await world.perform(readDependencyTree, { at: id, before: 2, after: 2 })
      expect(window.rows.map(({ task }) => task.id)).toEqual(whole.slice(Math.max(0, index - 2), index + 2))
      expect([window.moreBefore, window.moreAfter]).toEqual([index > 2, index < whole.length - 2])
    }
    const last = await world.perform(readDependencyTree, { at: 'last', before: 1 })
    expect(last.rows.map(({ task }) => task.id)).toEqual([5, 6])
  })

  it('is read in spans that name the parent of each task', async () => {
    const world = await openCore()
    await forest(world)
    const stems = async (from: number, span: number) =>
      (await world.perform(readStems, { from, span })).map(({ id, stem }) => [id, stem])
    expect(await stems(1, 10)).toEqual([
      [1, 0],
      [2, 1],
      [3, 1],
      [4, 2],
      [5, 0],
      [6, 5],
    ])
    expect(await stems(4, 2)).toEqual([
      [4, 2],
      [5, 0],
    ])
  })

  it('has the rows of any dependencies, whatever the window, in a few statements', async () => {
    const dependencies = fc
      .array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 60 })
      .map((all) => all.map((of, at) => [...new Set(at === 0 ? [] : of.map((n) => 1 + (n % at)))]))
    await fc.assert(
      fc.asyncProperty(dependencies, fc.nat(), fc.nat(12), fc.nat(12), async (all, n, before, after) => {
        const world = await openCore()
        await world.perform(
          importTasks,
          all.map((_, at) => ({ title: `task ${at + 1}`, personaId: 'implementer' })),
        )
        const edges = all.flatMap((of, at) => of.map((on) => `(${at + 1}, ${on})`))
        if (edges.length > 0)
          await byHand(world.store, `INSERT INTO task_dependencies (task_id, depends_on) VALUES ${edges.join(', ')}`)
        const rows = rowsBelow(all, 0, 0)
        const at = n % rows.length
        const { core, during } = countStatements(world.core)
        const { statements, value } = await during(() =>
          perform(core, readDependencyTree, { at: rows[at]![0], before, after: after + 1 }, person),
        )
        expect(value.rows.map(({ task, level }) => [task.id, level])).toEqual(
          rows.slice(Math.max(0, at - before), at + after + 1),
        )
        expect([value.moreBefore, value.moreAfter]).toEqual([at > before, rows.length > at + after + 1])
        expect(statements).toBeLessThanOrEqual(14)
      }),
      { numRuns: testedStore === 'sqlite' ? 30 : 5 },
    )
  })

  it('reads a limited part of a chain of any length', async () => {
    const world = await openCore()
    await world.task()
    for (let id = 1; id < 200; id++) await world.task({ dependencies: [id] })
    const middle = await world.perform(readDependencyTree, { at: 150, before: 3, after: 4 })
    expect(middle.rows.map(({ task }) => task.id)).toEqual([147, 148, 149, 150, 151, 152, 153])
    expect(new Set(middle.rows.map(({ level }) => level))).toEqual(new Set([64]))
  })

  it('is empty without tasks', async () => {
    const { perform } = await openCore()
    expect(await perform(readDependencyTree, { at: 'last' })).toEqual({ rows: [], moreBefore: false, moreAfter: false })
  })
})

/** The rows below a task in the order of the tree, or all of them below 0, with their levels. */
const rowsBelow = (all: readonly (readonly number[])[], stem: number, level: number): readonly [number, number][] =>
  all.flatMap((of, at): readonly [number, number][] =>
    Math.max(0, ...of) === stem ? [[at + 1, level], ...rowsBelow(all, at + 1, level + 1)] : [],
  )

describe('the list of remaining tasks', () => {
  it('is read in pages, without completed and cancelled tasks', async () => {
    const world = await openCore()
    await forest(world)
    const a = await world.agent('a')
    await world.perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    await world.perform(completeTask, { taskId: 1 }, a)
    const page = await world.perform(readOpenDependencies, { limit: 3 })
    expect(page).toEqual({ dependencies: [], next: { taskId: 4, dependsOn: 1 } })
    expect(await world.perform(readOpenDependencies, { after: page.next!, limit: 3 })).toEqual({
      dependencies: [
        { taskId: 4, dependsOn: 2 },
        { taskId: 6, dependsOn: 5 },
      ],
      next: null,
    })
  })
})
