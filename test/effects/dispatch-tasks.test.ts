import { expect, it, vi } from 'vitest'
import { person } from '../../src/domain/actor.ts'
import { dispatchTasks } from '../../src/effects/loops.ts'
import { importTasks } from '../../src/operations/import-tasks.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { openSwarm } from './swarm.ts'

interface Group {
  readonly title: string
  readonly count?: number
  readonly priority: number
}

/** A board of these tasks. Nobody has said which agents are to do them, so all are held but those named `free`. */
const board = async (...groups: readonly Group[]) => {
  const swarm = await openSwarm({ config: 'agents: {kinds: {filer: {command: ["cat"]}}}\n' })
  const drafts = groups.flatMap(({ title, count = 1, priority }) =>
    Array.from({ length: count }, () => ({ title, personaId: 'implementer', priority, metadata: title.startsWith('free') ? { cli: 'filer' } : null })),
  )
  const tasks = await perform(swarm.core, importTasks, drafts, person)
  const titles = new Map(tasks.map(({ id, title }) => [id, title]))
  return {
    ...swarm,
    started: async (maxParallel: number) => (await dispatchTasks(swarm.world, maxParallel)).started.map(({ taskId }) => titles.get(taskId)),
  }
}

it.each([299, 300, 301, 650])('behind %i tasks that are held the one that can start is started', async (count) => {
  const { started, show, agent } = await board({ title: 'held', count, priority: 9 }, { title: 'free', priority: 1 })
  expect(await started(1)).toEqual(['free'])
  expect(await show(count + 1)).toMatchObject({ status: 'claimed', assignedAgentId: 'implementer-1' })
  expect(await agent('implementer-1')).toMatchObject({ process: 'wanted', kind: 'filer' })
})

it('the most important starts first, wherever in a long queue it stands, and no more than there is room for', async () => {
  const { started } = await board(
    { title: 'free, late', priority: 1 },
    { title: 'held', count: 310, priority: 9 },
    { title: 'free, third', priority: 5 },
    { title: 'held', count: 310, priority: 7 },
    { title: 'free, second', priority: 8 },
    { title: 'free, first', priority: 10 },
    { title: 'free, fourth', priority: 5 },
  )
  expect(await started(3)).toEqual(['free, first', 'free, second', 'free, third'])
  expect(await started(3)).toEqual([])
  expect(await started(4)).toEqual(['free, fourth'])
  expect(await started(9)).toEqual(['free, late'])
})

it('of equals the one that is longer on the board starts first, also where a page ends among them', async () => {
  const { started } = await board({ title: 'held', count: 299, priority: 5 }, ...['free 1', 'free 2', 'free 3'].map((title) => ({ title, priority: 5 })))
  expect(await started(2)).toEqual(['free 1', 'free 2'])
  expect(await started(9)).toEqual(['free 3'])
})

it('others have their turn between two looks, each of which is a transaction of its own', async () => {
  const { started, core } = await board({ title: 'held', count: 650, priority: 5 })
  const writes = vi.spyOn(core.store, 'write')
  const turns: number[] = []
  const count = (): void => {
    turns.push(writes.mock.calls.length)
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  expect(await started(9)).toEqual([])
  clearImmediate(timer)
  expect([writes.mock.calls.length, new Set(turns)]).toEqual([3, new Set([1, 2])])
})

it('where all places are taken nobody looks through the rest of the queue', async () => {
  const { started, core } = await board({ title: 'free', priority: 9 }, { title: 'held', count: 650, priority: 5 })
  const writes = vi.spyOn(core.store, 'write')
  expect(await started(1)).toEqual(['free'])
  expect(writes).toHaveBeenCalledTimes(1)
  expect(await started(1)).toEqual([])
  expect(writes).toHaveBeenCalledTimes(2)
})
