import { expect, it, vi } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { dispatchTasks } from '../../../src/effects/loops/dispatcher.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { importTasks } from '../../../src/operations/tasks/import.ts'
import { openSwarm } from '../swarm.ts'

interface Group {
  readonly title: string
  readonly count?: number
  readonly priority: number
}

/** A board of these tasks. No kind is configured, so all are held except those named `free`. */
const board = async (...groups: readonly Group[]) => {
  const swarm = await openSwarm({ config: 'agents: {kinds: {filer: {command: ["cat"]}}}\n' })
  const drafts = groups.flatMap(({ title, count = 1, priority }) =>
    Array.from({ length: count }, () => ({
      title,
      personaId: 'implementer',
      priority,
      metadata: title.startsWith('free') ? { cli: 'filer' } : null,
    })),
  )
  const tasks = await perform(swarm.core, importTasks, drafts, person)
  const titles = new Map(tasks.map(({ id, title }) => [id, title]))
  return {
    ...swarm,
    started: async (maxParallel: number) =>
      (await dispatchTasks(swarm.world, maxParallel)).started.map(({ taskId }) => titles.get(taskId)),
  }
}

it.each([299, 300, 301, 650])('a startable task after %i held tasks is started', async (count) => {
  const { started, show, agent } = await board({ title: 'held', count, priority: 9 }, { title: 'free', priority: 1 })
  expect(await started(1)).toEqual(['free'])
  expect(await show(count + 1)).toMatchObject({ status: 'claimed', assignedAgentId: 'implementer-1' })
  expect(await agent('implementer-1')).toMatchObject({ process: 'wanted', kind: 'filer' })
})

it('the most important task is started first from any place in a long queue, and only as many as there is room for', async () => {
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

it('the older of two equal tasks is started first, even across a page boundary', async () => {
  const { started } = await board(
    { title: 'held', count: 299, priority: 5 },
    ...['free 1', 'free 2', 'free 3'].map((title) => ({ title, priority: 5 })),
  )
  expect(await started(2)).toEqual(['free 1', 'free 2'])
  expect(await started(9)).toEqual(['free 3'])
})

it('other work runs between two pages of a dispatch, each in its own transaction', async () => {
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

it('the rest of the queue is not read if no place is free', async () => {
  const { started, core } = await board({ title: 'free', priority: 9 }, { title: 'held', count: 650, priority: 5 })
  const writes = vi.spyOn(core.store, 'write')
  expect(await started(1)).toEqual(['free'])
  expect(writes).toHaveBeenCalledTimes(1)
  expect(await started(1)).toEqual([])
  expect(writes).toHaveBeenCalledTimes(2)
})
