import { describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { changeHost } from '../../../src/operations/hosts/membership.ts'
import { forgetHost } from '../../../src/operations/failover/forget-host.ts'
import { loseHost } from '../../../src/operations/failover/lost-hosts.ts'
import { returnHost } from '../../../src/operations/failover/returned-hosts.ts'
import { endWorker, takeHost } from '../../../src/operations/hosts/worker.ts'
import { listHosts } from '../../../src/operations/hosts/list.ts'
import { recordLaunch, takeRun } from '../../../src/operations/runs/processes.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { B, launch, onB, twoHosts, worktreeOn } from '../../support/board-of-hosts.ts'
import { minute, refusal, second, type World } from '../../support/core.ts'

const ofB = async (world: World) => (await world.perform(listHosts, {})).find(({ id }) => id === B)!

describe('a host whose worker ends', () => {
  it('is gone if it was drained and nothing is left on it, so that it is never lost', async () => {
    const { world, ofB: actor } = await twoHosts()
    await worktreeOn(world, 'b')
    await world.perform(changeHost, { host: 'b', to: 'drain' })
    expect(await world.perform(endWorker, { hostId: B }, actor)).toEqual({ gone: true })
    world.pass(10 * minute)
    expect(await ofB(world)).toMatchObject({ state: 'draining', beatAt: null, silentSince: null })
  })

  it('is silent if it was not drained', async () => {
    const { world, ofB: actor } = await twoHosts()
    expect(await world.perform(endWorker, { hostId: B }, actor)).toEqual({ gone: false })
    world.pass(minute)
    expect((await ofB(world)).silentSince).not.toBeNull()
  })

  it('is silent while an agent runs there, or a task waits in its worktrees', async () => {
    const { world, cores, ofB: actor, agentId } = await onB()
    await perform(cores[B]!, takeRun, { agentId, run: 1 }, actor)
    await world.perform(recordLaunch, { agentId, run: 1, ...launch }, actor)
    await world.perform(changeHost, { host: 'b', to: 'drain' })
    expect(await world.perform(endWorker, { hostId: B }, actor)).toEqual({ gone: false })
    const other = await twoHosts()
    await worktreeOn(other.world, 'b')
    await other.world.task({ targetWorktree: 'w' })
    await other.world.perform(changeHost, { host: 'b', to: 'drain' })
    expect(await other.world.perform(endWorker, { hostId: B }, other.ofB)).toEqual({ gone: false })
    await other.world.perform(cancelTask, { taskId: 1 })
    expect(await other.world.perform(endWorker, { hostId: B }, other.ofB)).toEqual({ gone: true })
  })
})

describe('a drained host', () => {
  const startedWorker = async (hosts: Awaited<ReturnType<typeof twoHosts>>, upFor: number, holder = 'next') => {
    const input = { hostId: B, holder, pid: 1, ttl: second, root: '/b/shop', program: '1', kinds: ['claude'], upFor }
    return (await perform(hosts.cores[B]!, takeHost, input, system())).state
  }

  it('starts work again with its next worker if it was drained until then', async () => {
    const hosts = await twoHosts()
    const { world } = hosts
    await world.perform(changeHost, { host: 'b', to: 'drain', untilStart: true })
    expect(await ofB(world)).toMatchObject({ state: 'draining', resumesOnStart: true })
    world.pass(minute)
    // The worker that is to end, and a console that was there before, do not resume it.
    expect(await startedWorker(hosts, 2 * minute, `of ${B}`)).toBe('draining')
    world.pass(minute)
    expect(await startedWorker(hosts, 3 * minute, 'console')).toBe('draining')
    world.pass(minute)
    expect(await startedWorker(hosts, second)).toBe('up')
    expect(await ofB(world)).toMatchObject({ state: 'up', resumesOnStart: false })
  })

  it('comes back drained after it was lost, and then resumes as it was to', async () => {
    const hosts = await twoHosts()
    const { world } = hosts
    await world.perform(changeHost, { host: 'b', to: 'drain' })
    await world.perform(loseHost, { host: 'b' })
    await world.perform(returnHost, { hostId: B }, system())
    expect(await ofB(world)).toMatchObject({ state: 'draining', resumesOnStart: false })
    expect(await startedWorker(hosts, second)).toBe('draining')
    await world.perform(changeHost, { host: 'b', to: 'resume' })
    await world.perform(changeHost, { host: 'b', to: 'drain', untilStart: true })
    world.pass(minute)
    await world.perform(loseHost, { host: 'b' })
    await world.perform(returnHost, { hostId: B }, system())
    expect(await startedWorker(hosts, second, 'another')).toBe('up')
    // Its first loss does not count any more.
    await world.perform(loseHost, { host: 'b' })
    await world.perform(returnHost, { hostId: B }, system())
    expect(await ofB(world)).toMatchObject({ state: 'up' })
  })

  it('stays drained if a person has drained it, before or after its service', async () => {
    const hosts = await twoHosts()
    const { world } = hosts
    await world.perform(changeHost, { host: 'b', to: 'drain' })
    expect((await refusal(world.perform(changeHost, { host: 'b', to: 'drain', untilStart: true }))).code).toBe(
      'invalid_state',
    )
    world.pass(minute)
    expect(await startedWorker(hosts, second)).toBe('draining')
    await world.perform(changeHost, { host: 'b', to: 'resume' })
    await world.perform(changeHost, { host: 'b', to: 'drain', untilStart: true })
    await world.perform(changeHost, { host: 'b', to: 'drain' })
    world.pass(minute)
    expect(await startedWorker(hosts, second, 'another')).toBe('draining')
    expect(await ofB(world)).toMatchObject({ state: 'draining', resumesOnStart: false })
  })
})

describe('a host that cannot drain or resume', () => {
  it('is named with what to do', async () => {
    const { world } = await twoHosts()
    const refused = async (to: 'drain' | 'resume') =>
      (await refusal(world.perform(changeHost, { host: 'b', to }))).message
    expect(await refused('resume')).toBe('Host b is not drained, so it need not be resumed.')
    await world.perform(changeHost, { host: 'b', to: 'drain' })
    expect(await refused('drain')).toBe("Host b is draining already. 'aiswarm host resume b' lets it start work again.")
    await world.perform(loseHost, { host: 'b' })
    expect(await refused('resume')).toBe(
      "Host b is lost, so it cannot resume. It comes back when 'aiswarm worker' runs there.",
    )
    await world.perform(forgetHost, { host: 'b' })
    await expect(world.perform(changeHost, { host: B, to: 'drain' })).rejects.toThrow('was removed from the board')
  })
})

it('a change of a host that names nothing is refused', async () => {
  const { world } = await twoHosts()
  const { code, message } = await refusal(world.perform(changeHost, { host: 'b' }))
  expect([code, message]).toEqual([
    'invalid_input',
    'Nothing is to change on host b. Name its labels, its room, its SSH address or its account.',
  ])
})
