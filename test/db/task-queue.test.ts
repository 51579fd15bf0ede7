import { expect, it } from 'vitest'
import { type QueuePlace, selectQueue, selectStartable } from '../../src/db/task-queue.ts'
import { selectTasks } from '../../src/db/tasks.ts'
import { cancelTask } from '../../src/operations/cancel-task.ts'
import { openCore } from '../support/core.ts'

it('what to do next is read in the order of the queue, however it is narrowed', async () => {
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
  const titles = async (filter: Parameters<typeof selectQueue>[2]): Promise<readonly string[]> => (await selectQueue(store.read, now, filter)).map(({ title }) => title)
  expect(await titles({})).toEqual(['first', 'second', 'later', 'unwanted'])
  expect(await titles({ personaId: 'implementer', withoutCommand: true, openTo: 'nobody', limit: 3 })).toEqual(['first', 'second', 'later'])
  const ids = async (limit: number, behind: QueuePlace | null): Promise<readonly number[]> => (await selectStartable(store.read, now, limit, behind)).map(({ id }) => id)
  expect([await ids(1, null), await ids(2, { priority: 9, id: 2 }), await ids(9, { priority: 1, id: 1 }), await ids(9, { priority: 0, id: 4 })]).toEqual([[2], [3, 1], [4], []])
  // A priority that is changed by hand moves the task, and one that ends leaves the queue.
  store.connection.prepare('UPDATE tasks SET priority = 10 WHERE title = ?').run('unwanted')
  await world.perform(cancelTask, { taskId: 2 })
  expect(await titles({})).toEqual(['unwanted', 'second', 'later'])
  expect((await selectTasks(store.read, { availableAt: now })).map(({ title }) => title)).toEqual(['later', 'second', 'unwanted'])
})
