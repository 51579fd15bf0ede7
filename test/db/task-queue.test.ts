import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type QueuePlace, selectQueue, selectStartable } from '../../src/db/task-queue.ts'
import { selectTasks } from '../../src/db/tasks.ts'
import { cancelTask } from '../../src/operations/tasks/cancel.ts'
import { migrations, openCore } from '../support/core.ts'
import { connectionOf } from '../support/store.ts'

it('the next tasks are read in queue order, under any filter', async () => {
  const world = await openCore()
  for (const [title, priority] of [
    ['later', 1],
    ['first', 9],
    ['second', 9],
    ['unwanted', 0],
  ] as const)
    await world.task({ title, priority, personaId: 'implementer' })
  const { store } = world.core
  const now = world.core.clock()
  const titles = async (filter: Parameters<typeof selectQueue>[2]): Promise<readonly string[]> =>
    (await selectQueue(store.read, now, filter)).map(({ title }) => title)
  expect(await titles({})).toEqual(['first', 'second', 'later', 'unwanted'])
  expect(await titles({ personaId: 'implementer', withoutCommand: true, openTo: 'nobody', limit: 3 })).toEqual([
    'first',
    'second',
    'later',
  ])
  const ids = async (limit: number, behind: QueuePlace | null): Promise<readonly number[]> =>
    (await selectStartable(store.read, now, limit, behind)).map(({ id }) => id)
  expect([
    await ids(1, null),
    await ids(2, { priority: 9, id: 2 }),
    await ids(9, { priority: 1, id: 1 }),
    await ids(9, { priority: 0, id: 4 }),
  ]).toEqual([[2], [3, 1], [4], []])
  // A priority that is changed by hand moves the task, and a task that ends leaves the queue.
  connectionOf(store).prepare('UPDATE tasks SET priority = 10 WHERE title = ?').run('unwanted')
  await world.perform(cancelTask, { taskId: 2 })
  expect(await titles({})).toEqual(['unwanted', 'second', 'later'])
  expect((await selectTasks(store.read, { availableAt: now })).map(({ title }) => title)).toEqual([
    'later',
    'second',
    'unwanted',
  ])
  expect(
    (await selectTasks(store.read, { ids: [4, 1, 3], availableAt: now, order: 'newest', limit: 2 })).map(
      ({ id }) => id,
    ),
  ).toEqual([4, 3])
})

it('only pending tasks are offered, once and in order, whichever statement changes the board', async () => {
  const world = await openCore()
  for (const title of ['a', 'b', 'c', 'd']) await world.task({ title, personaId: 'implementer' })
  const { connection, read } = world.store
  const startable = async (): Promise<readonly string[]> =>
    (await selectStartable(read, world.core.clock(), 9, null)).map(({ id, priority }) => `${id}:${priority}`)
  const at = "'2026-01-30T14:22:33.000Z'"
  connection.exec(`REPLACE INTO task_status (task_id, status, completed_at) VALUES (1, 'completed', ${at})`)
  expect([await startable(), (await selectQueue(read, world.core.clock(), {})).map(({ id }) => id)]).toEqual([
    ['2:0', '3:0', '4:0'],
    [2, 3, 4],
  ])
  connection.exec("REPLACE INTO task_status (task_id, status) VALUES (1, 'pending')")
  connection.exec(
    `INSERT INTO task_status (task_id, status, completed_at) VALUES (2, 'failed', ${at}) ON CONFLICT DO UPDATE SET status = excluded.status, completed_at = excluded.completed_at`,
  )
  connection.exec(`UPDATE tasks SET priority = 7 WHERE id IN (2, 3)`)
  expect(await startable()).toEqual(['3:7', '1:0', '4:0'])
  connection.exec("UPDATE task_status SET status = 'pending', completed_at = NULL WHERE task_id = 2")
  expect(await startable()).toEqual(['2:7', '3:7', '1:0', '4:0'])
  // A changed script runs like this: again over existing rows.
  connection.exec(readFileSync(join(migrations, '016_TaskQueue.sql'), 'utf8'))
  connection.exec('DELETE FROM task_status WHERE task_id = 4')
  expect(await startable()).toEqual(['2:7', '3:7', '1:0'])
  expect(connection.prepare('SELECT count(*) FROM task_queue').pluck().get()).toBe(3)
})
