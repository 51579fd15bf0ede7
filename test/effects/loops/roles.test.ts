import { mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { runFolder } from '../../../src/effects/files/paths.ts'
import { hostRoleOf, leaderOf } from '../../../src/effects/loops/roles.ts'
import { newHolder, whileHolding } from '../../../src/effects/lease.ts'
import type { World } from '../../../src/effects/world.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { listHosts } from '../../../src/operations/hosts/list.ts'
import { SUPERVISOR } from '../../../src/operations/perform/roles.ts'
import { takeLease } from '../../../src/operations/supervision/leases.ts'
import { B } from '../../support/board-of-hosts.ts'
import { eventually } from '../../support/eventually.ts'
import { openSwarm } from '../swarm.ts'

/** A process of a host before the last boot of a machine with the same id as this one. */
const beforeBoot = (host: string): string => newHolder(host).replace(/~[^~@]+@/, '~another-boot@')

const heldBy = async (name: string, holder: string): Promise<World> => {
  const { world, core } = await openSwarm()
  await perform(core, takeLease, { name, holder, pid: 1, ttl: 600_000 }, world.actor)
  return { ...world, core: { ...core, host: B } }
}

describe('a lease of a process that a boot has ended', () => {
  it('is taken over at once by its host', async () => {
    const leader = leaderOf(await heldBy(SUPERVISOR, beforeBoot(B)))
    await leader.take(10_000)
    expect(leader.here).toBe(true)
    const landing = await heldBy('landing:main', `${beforeBoot(B)}/landing:main/x`)
    expect(await whileHolding(landing, 'landing:main', 0, () => Promise.resolve('done'))).toEqual({ result: 'done' })
  })

  it('is not judged by another host, whose machine may be a copy that has the same id', async () => {
    const leader = leaderOf(await heldBy(SUPERVISOR, beforeBoot(LOCAL)))
    await leader.take(10_000)
    expect(leader.here).toBe(false)
    const landing = await heldBy('landing:main', `${beforeBoot(LOCAL)}/landing:main/x`)
    expect(await whileHolding(landing, 'landing:main', 0, () => Promise.resolve('done'))).toBeUndefined()
  })
})

describe('the role of a host whose aiswarm is older than that of another one', () => {
  const newer = { name: 'b', program: '0.2.0' }

  it('is given back once, and taken again if the other one does not take it', async () => {
    const { world } = await openSwarm()
    const leader = leaderOf({ ...world, core: { ...world.core, host: B } })
    await leader.take(10_000)
    expect(await leader.leaveTo(newer, 0)).toBe(true)
    expect(leader.here).toBe(false)
    await leader.take(10_000)
    expect(leader.here).toBe(true)
    expect(await leader.leaveTo(newer, 0)).toBe(false)
    expect(leader.here).toBe(true)
  })

  it('is left to the other one for its time', async () => {
    const { world, core } = await openSwarm()
    const leader = leaderOf({ ...world, core: { ...core, host: B } })
    await leader.take(10_000)
    await leader.leaveTo(newer, 600_000)
    expect(await leader.take(10_000)).toBe(false)
    expect(await leader.isGivenBack()).toBe(false)
    const other = { name: SUPERVISOR, holder: 'of another host', pid: 1, ttl: 1000 }
    expect((await perform(core, takeLease, other, world.actor)).granted).toBe(true)
  })
})

it('the heartbeat of a host says as whom its agents run, and why in no sandbox', async () => {
  const { world, core } = await openSwarm()
  const { secret } = await perform(core, makeJoinCode, {}, person)
  await perform(core, joinHost, { secret, hostId: B, name: 'b', machine: 'm', root: core.root }, person)
  mkdirSync(join(core.root, '.aiswarm/run'), { recursive: true })
  const off = { ...core.settings, sandbox: { ...core.settings.sandbox, mode: 'off' as const } }
  const host = hostRoleOf({ ...world, core: { ...core, host: B, settings: off } }, {})!
  const known = async () => (await perform(core, listHosts, {}, person)).find(({ id }) => id === B)!.agents
  await eventually(async () => {
    await host.take(10_000)
    expect(await known()).toEqual({ as: userInfo().username, unconfined: expect.stringContaining('off') as string })
  })
  // A worker that has just started does not know it yet, and forgets nothing.
  await hostRoleOf({ ...world, core: { ...core, host: B } }, {})!.take(10_000)
  expect((await known())?.as).toBe(userInfo().username)
})

it('the process of a host records how busy its machine is, and that it should get nothing new', async () => {
  vi.stubEnv('AISWARM_MAX_LOAD', undefined)
  const { world, core } = await openSwarm()
  const { secret } = await perform(core, makeJoinCode, {}, person)
  await perform(core, joinHost, { secret, hostId: B, name: 'b', machine: 'm', root: '/b/shop' }, person)
  mkdirSync(runFolder(core.root), { recursive: true })
  // Any machine is busier.
  const settings = { ...core.settings, fleet: { ...core.settings.fleet, maxLoad: -1 } }
  const role = hostRoleOf(
    { ...world, core: { ...core, host: B, settings } },
    { maxHere: undefined, labels: undefined },
  )!
  expect(await role.take(10_000)).toBe(true)
  vi.unstubAllEnvs()
  const host = (await perform(core, listHosts, {}, person)).find(({ id }) => id === B)
  expect(host?.load).toBeGreaterThanOrEqual(0)
  expect(host?.hold).toMatch(/^its load is .*more than -1/)
})
