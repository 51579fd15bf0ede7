import { describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { heartbeat } from '../../../src/operations/agents/heartbeat.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { changeHost, joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { forgetHost } from '../../../src/operations/failover/forget-host.ts'
import { takeHost } from '../../../src/operations/hosts/worker.ts'
import { listAgents } from '../../../src/operations/agents/list.ts'
import { readContinued } from '../../../src/operations/hosts/locations.ts'
import { readHeld } from '../../../src/operations/tasks/held-tasks.ts'
import { recordWorktree } from '../../../src/operations/worktrees/building.ts'
import { listHosts } from '../../../src/operations/hosts/list.ts'
import { loseHost, loseSilentHost, settleReturn } from '../../../src/operations/failover/lost-hosts.ts'
import { recordLaunch, takeRun } from '../../../src/operations/runs/processes.ts'
import { sweep } from '../../../src/operations/supervision/sweep.ts'
import { claimTask } from '../../../src/operations/tasks/claims.ts'
import { B, launch, onB, twoHosts } from '../../support/board-of-hosts.ts'
import { minute, refusal, refused, second } from '../../support/core.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { continueStranded, readStranded } from '../../../src/operations/failover/stranded.ts'
import { returnHost } from '../../../src/operations/failover/returned-hosts.ts'
import { setRemote } from '../../../src/operations/hosts/remote.ts'
import { readWishes } from '../../../src/operations/supervision/wishes.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'

const beatOf = async ({ world }: Awaited<ReturnType<typeof twoHosts>>, id: string): Promise<string> =>
  (await world.perform(listHosts, {})).find((host) => host.id === id)!.beatAt!

describe('a host that is silent', () => {
  it('is lost after the time in the settings, and its task is pending without a used retry', async () => {
    const hosts = await onB({ fleet: { silentAfter: 10 * second, lostAfter: minute } })
    const { world, cores, ofB, agentId } = hosts
    await perform(cores[B]!, takeRun, { agentId, run: 1 }, ofB)
    await world.perform(recordLaunch, { agentId, run: 1, ...launch }, ofB)
    const beatAt = await beatOf(hosts, B)
    world.pass(59 * second)
    expect(await world.perform(loseSilentHost, { hostId: B, beatAt }, system())).toMatchObject({ lost: false })
    world.pass(2 * second)
    expect(await world.perform(loseSilentHost, { hostId: B, beatAt }, system())).toMatchObject({
      ...{ lost: true, epoch: 2, ended: [agentId] },
    })
    expect(await world.show(1)).toMatchObject({ status: 'pending', retryCount: 0 })
  })

  it('is not lost if it was heard of after the look of the process that plans', async () => {
    const hosts = await twoHosts()
    const beatAt = await beatOf(hosts, B)
    hosts.world.pass(6 * minute)
    await hosts.beat(B)
    hosts.world.pass(6 * minute)
    expect(await hosts.world.perform(loseSilentHost, { hostId: B, beatAt }, system())).toMatchObject({ lost: false })
  })

  it('is declared lost only by the process that plans for the board', async () => {
    const hosts = await twoHosts()
    const beatAt = await beatOf(hosts, B)
    hosts.world.pass(6 * minute)
    expect(await refused(hosts.world.perform(loseSilentHost, { hostId: B, beatAt }, hosts.ofB))).toBe(
      'stale_supervisor',
    )
  })

  it('is not lost if it has the main checkout', async () => {
    const hosts = await twoHosts()
    const beatAt = await beatOf(hosts, LOCAL)
    hosts.world.pass(6 * minute)
    expect(await hosts.world.perform(loseSilentHost, { hostId: LOCAL, beatAt }, system())).toMatchObject({
      lost: false,
    })
  })

  /** Agent `guest` registered itself on a host, and holds task 1. */
  const guestOn = async (hostId: string) => {
    const hosts = await twoHosts()
    const { world, cores } = hosts
    await perform(cores[hostId]!, registerAgent, { id: 'guest', personaId: 'implementer' }, system())
    await world.task()
    await world.perform(claimTask, { taskId: 1, agentId: 'guest' }, system())
    const live = () => world.perform(heartbeat, { agentId: 'guest' }, system())
    await live()
    const passes = async (minutes: number, beats: readonly string[] = []) => {
      for (let n = 0; n < 4 * minutes; n++) {
        world.pass(15 * second)
        for (const id of beats) await hosts.beat(id)
        await world.perform(sweep, {}, system())
      }
    }
    return { ...hosts, live, passes }
  }
  const held = { status: 'claimed', assignedAgentId: 'guest' }

  it('keeps what agents there hold that registered themselves, until it is lost', async () => {
    const { world, passes } = await guestOn(B)
    await passes(6, [LOCAL])
    expect(await world.show(1)).toMatchObject(held)
    await world.perform(loseHost, { host: 'b' })
    await passes(1, [LOCAL])
    expect(await world.show(1)).toMatchObject({ status: 'pending' })
  })

  it('keeps what agents there hold that registered themselves, if it is the first, which is never lost', async () => {
    const { world, passes } = await guestOn(LOCAL)
    await passes(20, [B])
    expect(await world.show(1)).toMatchObject(held)
  })

  it.each([LOCAL, B])('gives agents there time to be heard when it is heard of again: %s', async (hostId) => {
    const { world, passes, beat, live } = await guestOn(hostId)
    const other = hostId === B ? LOCAL : B
    await passes(3, [other])
    await beat(hostId)
    world.pass(20 * second)
    await beat(hostId)
    await world.perform(sweep, {}, system())
    expect(await world.show(1)).toMatchObject(held)
    await live()
    await passes(0.5, [LOCAL, B])
    expect(await world.show(1)).toMatchObject(held)
    await passes(2, [LOCAL, B])
    expect(await world.show(1)).toMatchObject({ status: 'pending' })
  })
})

describe('a worktree that continues one of a lost host and cannot be built', () => {
  const C = 'cccccccc'

  /** Host B is lost while an agent works there, and a host continues its worktree as `w-2`. */
  const continued = async ({ third = false, onThird = false } = {}) => {
    const hosts = await onB()
    const { world, cores } = hosts
    await world.perform(setRemote, { url: 'git@git.example.net:shop' })
    if (third || onThird) {
      const { secret } = await world.perform(makeJoinCode, {})
      await world.perform(joinHost, { secret, hostId: C, name: 'c', machine: 'n', root: '/c/shop' })
      const input = { hostId: C, holder: 'of c', pid: 1, ttl: minute, root: '/c/shop', program: '1', kinds: ['claude'] }
      await world.perform(takeHost, input, system())
    }
    if (onThird) await world.perform(changeHost, { host: LOCAL, maxParallel: 0 })
    await world.perform(loseHost, { host: 'b' })
    const again = async () => (await perform(cores[LOCAL]!, continueStranded, {}, system())).continued
    const [first] = await again()
    const fail = () => world.perform(recordWorktree, { name: 'w-2', baseOid: null, error: why }, system())
    return { ...hosts, first: first!, again, fail }
  }
  const why = 'setup failed: make was not found.'

  it('gives its tasks back to it, whose other attempts are counted, and says why on which host', async () => {
    const { world, cores, fail } = await continued()
    const { agentId } = (await perform(cores[LOCAL]!, dispatch, { maxParallel: 8 }, system())).started[0]!
    expect(await fail()).toMatchObject({ cancelled: [], back: { worktree: 'w', tasks: [1] } })
    expect(await world.show(1)).toMatchObject({ status: 'pending', targetWorktree: 'w', retryCount: 0 })
    expect(await perform(cores[LOCAL]!, readHeld, {}, system())).toMatchObject([
      {
        why: 'it works in w, and host b was declared lost; host local could not continue it: setup failed: make was not found',
      },
    ])
    expect((await world.perform(listAgents, {})).map(({ id }) => id)).not.toContain(agentId)
  })

  it('is not tried on the same host at once, but on another one', async () => {
    const { cores, first, again, fail } = await continued({ third: true })
    await fail()
    expect((await perform(cores[LOCAL]!, readStranded, {}, system())).stranded).toBe(true)
    const [second] = await again()
    expect([first.host, second!.host].sort()).toEqual(['c', 'local'])
    expect(second).toMatchObject({ worktree: 'w', successor: 'w-2', tasks: [1] })
    await fail()
    expect((await perform(cores[LOCAL]!, readStranded, {}, system())).stranded).toBe(false)
    expect(await again()).toEqual([])
  })

  it('is tried again on the same host after ten minutes', async () => {
    const { world, again, fail, beat } = await continued()
    await fail()
    world.pass(9 * minute)
    await beat(LOCAL)
    expect(await again()).toEqual([])
    world.pass(2 * minute)
    await beat(LOCAL)
    expect(await again()).toMatchObject([{ worktree: 'w', successor: 'w-2', host: 'local' }])
    await world.perform(recordWorktree, { name: 'w-2', baseOid: 'c'.repeat(40), error: null }, system())
    expect(await again()).toEqual([])
  })

  it('continues where it was when its own host is back', async () => {
    const { world, cores, fail, beat } = await continued()
    await fail()
    await world.perform(returnHost, { hostId: B }, system())
    await beat(B)
    const { started } = await perform(cores[LOCAL]!, dispatch, { maxParallel: 8 }, system())
    expect(started).toMatchObject([{ taskId: 1, worktree: 'w' }])
  })

  it('gives the tasks back that have a worktree of their own', async () => {
    const { world, cores, beat } = await twoHosts()
    await world.perform(setRemote, { url: 'git@git.example.net:shop' })
    await world.perform(changeHost, { host: LOCAL, maxParallel: 0 })
    await world.task({ title: 'Lamp', metadata: { worktree: 'auto' } })
    const worktree = (await perform(cores[LOCAL]!, dispatch, { maxParallel: 8 }, system())).started[0]!.worktree!
    expect(worktree).toBe('task-1-lamp')
    await world.perform(recordWorktree, { name: worktree, baseOid: 'a'.repeat(40), error: null }, system())
    await world.perform(loseHost, { host: 'b' })
    await world.perform(changeHost, { host: LOCAL, maxParallel: 8 })
    await beat(LOCAL)
    const { successor } = (await perform(cores[LOCAL]!, continueStranded, {}, system())).continued[0]!
    await world.perform(recordWorktree, { name: successor, baseOid: null, error: why }, system())
    expect(await world.show(1)).toMatchObject({ status: 'pending', targetWorktree: 'task-1-lamp' })
  })

  it('keeps the host of the other one on the board until it is built', async () => {
    const { world, fail } = await continued()
    expect((await refusal(world.perform(forgetHost, { host: 'b' }))).message).toContain(
      'the worktree that continues it is not built',
    )
    await fail()
    expect(await refused(world.perform(forgetHost, { host: 'b' }))).toBe('would_lose_work')
  })

  it('leaves what the other one continues to the next, if its host is lost too', async () => {
    const { world, cores, first, again, fail } = await continued({ onThird: true })
    expect(first).toMatchObject({ host: 'c', successor: 'w-2' })
    await world.perform(changeHost, { host: LOCAL, maxParallel: 8 })
    await world.perform(loseHost, { host: C })
    const [next] = await again()
    // Host c had w-2: what w has pushed counts for the worktree that continues it.
    expect(next).toMatchObject({ worktree: 'w-2', successor: 'w-2-2' })
    expect(await world.perform(readContinued, { worktree: 'w-2' }, system())).toMatchObject([
      { name: 'w-2' },
      { name: 'w', hostId: B },
    ])
    await fail()
    expect(await world.perform(readContinued, { worktree: 'w' }, system())).toMatchObject([{ name: 'w' }])
    expect((await perform(cores[LOCAL]!, readWishes, {}, system())).worktrees).toMatchObject([
      { name: 'w-2-2', continues: 'w' },
    ])
  })
})

describe('a worktree of a lost host', () => {
  /** Host B is lost while an agent works there; the hosts exchange code through a remote, if there is one. */
  const lost = async ({ remote = true } = {}) => {
    const hosts = await onB()
    if (remote) await hosts.world.perform(setRemote, { url: 'git@git.example.net:shop' })
    await hosts.world.perform(loseHost, { host: 'b' })
    return hosts
  }

  it('is continued elsewhere under the same names with a number, and its tasks work there', async () => {
    const { world, cores } = await lost()
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toEqual({
      continued: [{ worktree: 'w', successor: 'w-2', host: 'local', tasks: [1] }],
      stayed: [],
      placed: [],
    })
    const { worktrees } = await perform(cores[LOCAL]!, readWishes, {}, system())
    expect(worktrees).toMatchObject([{ name: 'w-2', branch: 'feature/w-2', continues: 'w', folder: 'building' }])
    expect(await world.show(1)).toMatchObject({ targetWorktree: 'w-2', retryCount: 0 })
    expect((await perform(cores[LOCAL]!, dispatch, { maxParallel: 8 }, system())).started).toHaveLength(1)
    // Once is enough.
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toMatchObject({ continued: [] })
  })

  it('is not continued without a remote, since nothing of it is anywhere else', async () => {
    const { cores } = await lost({ remote: false })
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toMatchObject({ continued: [] })
  })

  it('waits until another host has room, or its own is back', async () => {
    const { world, cores } = await lost()
    await world.perform(changeHost, { host: LOCAL, maxParallel: 0 })
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toMatchObject({ continued: [] })
    await world.perform(returnHost, { hostId: B }, system())
    await world.perform(changeHost, { host: LOCAL, maxParallel: 8 })
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toMatchObject({ continued: [] })
    expect(await world.show(1)).toMatchObject({ targetWorktree: 'w' })
  })

  it('waits until another host has the kinds of its tasks', async () => {
    const { world, cores, beat } = await lost()
    await beat(LOCAL, ['command'])
    const isStranded = async () => (await perform(cores[LOCAL]!, readStranded, {}, system())).stranded
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toMatchObject({ continued: [] })
    // A write would wake every process, every two seconds.
    expect(await isStranded()).toBe(false)
    await beat(LOCAL)
    expect(await isStranded()).toBe(true)
    expect((await perform(cores[LOCAL]!, continueStranded, {}, system())).continued).toMatchObject([{ tasks: [1] }])
    expect(await world.show(1)).toMatchObject({ targetWorktree: 'w-2' })
  })

  it('waits until another host has the label for which it was created', async () => {
    const { world, cores } = await twoHosts()
    await world.perform(setRemote, { url: 'git@git.example.net:shop' })
    await world.perform(createWorktreeOn, { name: 'w', branchName: 'w', labels: ['big'] })
    await world.task({ targetWorktree: 'w' })
    await world.perform(loseHost, { host: 'b' })
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toMatchObject({ continued: [] })
    await world.perform(changeHost, { host: LOCAL, labels: ['big'] })
    expect((await perform(cores[LOCAL]!, continueStranded, {}, system())).continued).toMatchObject([{ worktree: 'w' }])
  })

  it('is continued only by the process that plans for the board', async () => {
    const { world, ofB } = await twoHosts()
    expect(await refused(world.perform(continueStranded, {}, ofB))).toBe('stale_supervisor')
  })

  it('is shown to the person when its host is back, until it has been seen', async () => {
    const { world, cores } = await lost()
    await perform(cores[LOCAL]!, continueStranded, {}, system())
    const kept = [{ worktree: 'w', ref: 'refs/aiswarm/returned/b/w/x', problem: null, pushed: true }]
    await world.perform(returnHost, { hostId: B, kept }, system())
    const waits = async () => (await world.perform(readBoard, {})).attention.map(({ kind, text }) => ({ kind, text }))
    expect(await waits()).toEqual([
      { kind: 'returned', text: 'host b is back with 1 worktree from before it was lost: compare, keep or discard it' },
    ])
    await world.perform(settleReturn, { host: 'b' })
    expect(await waits()).toEqual([])
    expect(await refused(world.perform(settleReturn, { host: 'b' }))).toBe('invalid_state')
  })
})
