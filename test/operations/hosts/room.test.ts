import { expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { roomHere } from '../../../src/effects/loops/capacity.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { changeHost } from '../../../src/operations/hosts/membership.ts'
import { later } from '../../../src/domain/words/time.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { listHosts } from '../../../src/operations/hosts/list.ts'
import { takeHost } from '../../../src/operations/hosts/worker.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { B, twoHosts, worktreeOn } from '../../support/board-of-hosts.ts'
import { minute, openCore, second } from '../../support/core.ts'

const beat = { pid: 1, ttl: 10 * second, program: '1', kinds: ['claude'], room: 1 }

it('a host runs as many agents as its machine carries, unless a person says otherwise', async () => {
  const { world, cores } = await twoHosts()
  await perform(cores[B]!, takeHost, { ...beat, hostId: B, holder: `of ${B}`, root: '/b/shop' }, system())
  for (const name of ['w', 'v']) {
    await worktreeOn(world, 'b', name)
    await world.task({ targetWorktree: name })
  }
  const { started, held } = await world.perform(dispatch, { maxParallel: 8 }, system())
  expect(started).toHaveLength(1)
  expect(held.map(({ why }) => why)).toEqual(['it works in v, and 1 of at most 1 agents are running on host b'])
  expect((await world.perform(listHosts, {})).map(({ maxParallel }) => maxParallel)).toEqual([null, 1])
  await world.perform(changeHost, { host: 'b', maxParallel: 4 })
  expect((await world.perform(dispatch, { maxParallel: 8 }, system())).started).toHaveLength(1)
})

it('the only host of a board runs as many as the session allows', async () => {
  const world = await openCore({ session: { maxParallel: 8, freeDisk: 0 } })
  await world.perform(takeHost, { ...beat, hostId: LOCAL, holder: 'x', root: world.core.root }, system())
  for (const name of ['w', 'v']) {
    await worktreeOn(world, LOCAL, name)
    await world.task({ targetWorktree: name })
  }
  expect((await world.perform(dispatch, { maxParallel: 8 }, system())).started).toHaveLength(2)
  expect((await world.perform(listHosts, {}))[0]).toMatchObject({ maxParallel: null })
})

it('a host whose commits have not reached the remote for ten minutes gets no new worktrees by itself', async () => {
  const { world, cores } = await twoHosts()
  const of = (unpushedFor: number) =>
    perform(
      cores[B]!,
      takeHost,
      { ...beat, room: 8, unpushedFor, hostId: B, holder: `of ${B}`, root: '/b/shop' },
      system(),
    )
  await world.perform(changeHost, { host: LOCAL, maxParallel: 1 })
  const create = async (name: string, host?: string) =>
    (await world.perform(createWorktreeOn, { name, branchName: name, ...(host === undefined ? {} : { host }) })).path
  await of(9 * minute)
  expect(await create('one')).toMatch(/^\/b\//)
  await of(11 * minute)
  expect(await create('two')).not.toMatch(/^\/b\//)
  expect(await create('three', 'b')).toMatch(/^\/b\//)
  const since = (await world.perform(listHosts, {})).map(({ unpushedSince }) => unpushedSince)
  expect(since).toEqual([null, later(world.now(), -11 * minute)])
})

it('a machine carries an agent for two processors and 1.5 GB each, and at least one', () => {
  const gigabyte = 1024 ** 3
  expect([roomHere(8, 64 * gigabyte), roomHere(8, 3 * gigabyte), roomHere(1, gigabyte)]).toEqual([4, 2, 1])
})
