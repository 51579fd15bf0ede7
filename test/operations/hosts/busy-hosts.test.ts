import { expect, it, vi } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { loadHere, whyBraked } from '../../../src/effects/loops/capacity.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { listHosts } from '../../../src/operations/hosts/list.ts'
import { takeHost } from '../../../src/operations/hosts/worker.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { B, twoHosts, worktreeOn } from '../../support/board-of-hosts.ts'
import { openCore, second } from '../../support/core.ts'

const beat = { pid: 1, ttl: 10 * second, program: '1', kinds: ['claude'], room: 8 }
const busy = { load: 4.2, memoryFree: 0.5, brake: 'its load is 4.2 for each processor, more than 1.5 (fleet.maxLoad)' }

it('a busy host gets nothing new while there are others, and says why on its row and in its tasks', async () => {
  const { world, cores } = await twoHosts()
  const of = (machine: Partial<typeof busy>) =>
    perform(cores[B]!, takeHost, { ...beat, hostId: B, holder: `of ${B}`, root: '/b/shop', ...machine }, system())
  await of(busy)
  await worktreeOn(world, 'b')
  await world.task({ targetWorktree: 'w' })
  for (let n = 0; n < 3; n++) await world.task({ targetWorktree: 'auto' })
  const { started } = await world.perform(dispatch, { maxParallel: 8 }, system())
  expect(started.map(({ taskId }) => taskId)).toEqual([2, 3, 4])
  const { worktrees, held } = await world.perform(readBoard, {})
  expect(worktrees.filter(({ path }) => path.startsWith('/b/')).map(({ name }) => name)).toEqual(['w'])
  expect(held).toEqual([{ taskId: 1, why: `it works in w, and host b starts nothing new: ${busy.brake}` }])
  expect((await world.perform(listHosts, {}))[1]).toMatchObject({ hold: busy.brake, load: 4.2, memoryFree: 0.5 })
  await of({})
  expect((await world.perform(dispatch, { maxParallel: 8 }, system())).started.map(({ taskId }) => taskId)).toEqual([1])
  expect((await world.perform(listHosts, {}))[1]).toMatchObject({ hold: null, load: null })
})

it('the only host of a board starts agents however busy it is', async () => {
  const world = await openCore({ session: { maxParallel: 8, freeDisk: 0 } })
  const input = { ...beat, ...busy, hostId: LOCAL, holder: 'x', root: world.core.root }
  await world.perform(takeHost, input, system())
  await world.task({})
  expect((await world.perform(dispatch, { maxParallel: 8 }, system())).started).toHaveLength(1)
  expect((await world.perform(listHosts, {}))[0]).toMatchObject({ hold: null, load: 4.2 })
})

it('a machine is busy above the load of the settings, or with less than a tenth of its memory available', () => {
  vi.stubEnv('AISWARM_MAX_LOAD', undefined)
  const why = (load: number, memoryFree: number | null, maxLoad: number | null = 1.5) =>
    whyBraked({ load, memoryFree }, { maxLoad })
  expect(why(1.5, 0.1)).toBeUndefined()
  expect(why(1.51, 0.1)).toBe('its load is 1.51 for each processor, more than 1.5 (fleet.maxLoad)')
  expect(why(0, 0.099)).toBe('only 9% of its memory is available')
  expect(why(9, null, null)).toBeUndefined()
  vi.stubEnv('AISWARM_MAX_LOAD', 'off')
  expect(why(9, 0)).toBeUndefined()
  vi.unstubAllEnvs()
  const { load, memoryFree } = loadHere()
  expect(load).toBeGreaterThanOrEqual(0)
  expect(memoryFree ?? 1).toBeLessThanOrEqual(1)
})
