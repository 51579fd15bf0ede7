import { describe, expect, it } from 'vitest'
import { type Actor, system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { hashToken } from '../../../src/operations/perform/token.ts'
import { heartbeat } from '../../../src/operations/agents/heartbeat.ts'
import { changeHost, joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { listHosts } from '../../../src/operations/hosts/list.ts'
import { loseHost } from '../../../src/operations/failover/lost-hosts.ts'
import { takeHost } from '../../../src/operations/hosts/worker.ts'
import { returnHost } from '../../../src/operations/failover/returned-hosts.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { claimTask, failTask } from '../../../src/operations/tasks/claims.ts'
import { readWishes } from '../../../src/operations/supervision/wishes.ts'
import { recordLaunch, takeRun } from '../../../src/operations/runs/processes.ts'
import { renew, sweep } from '../../../src/operations/supervision/sweep.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { leasePort, readPorts } from '../../../src/operations/worktrees/ports.ts'
import { B, launch, onB, twoHosts, worktreeOn } from '../../support/board-of-hosts.ts'
import { minute, refusal, refused, second, type World } from '../../support/core.ts'

describe('the process that plans for the board', () => {
  it('gets the name of a host with a newer aiswarm while that is up and heard of', async () => {
    const { world, cores, beat } = await twoHosts()
    const beatOf = (hostId: string, program: string) => {
      const core = cores[hostId]!
      const input = { hostId, holder: `of ${hostId}`, pid: 1, ttl: 10 * second, root: core.root, program, kinds: [] }
      return perform(core, takeHost, input, system())
    }
    await beatOf(B, '0.10.0')
    const newer = async (program: string) => (await world.perform(sweep, { program }, system())).newer
    expect(await newer('0.9.0')).toEqual({ name: 'b', program: '0.10.0' })
    expect(await newer('0.10.0')).toBeUndefined()
    expect(await newer('1.0.0')).toBeUndefined()
    await world.perform(changeHost, { host: 'b', to: 'drain' })
    expect(await newer('0.9.0')).toBeUndefined()
    await world.perform(changeHost, { host: 'b', to: 'resume' })
    world.pass(10 * minute)
    await beat(LOCAL)
    expect(await newer('0.9.0')).toBeUndefined()
  })
})

describe('a host', () => {
  it('sees its own worktrees and runs, and no others', async () => {
    const { cores, agentId } = await onB()
    const seen = async (host: string) => {
      const { runs, worktrees } = await perform(cores[host]!, readWishes, {}, system())
      return { runs: runs.map((run) => run.agentId), worktrees: worktrees.map(({ name }) => name) }
    }
    expect(await seen(LOCAL)).toEqual({ runs: [], worktrees: [] })
    expect(await seen(B)).toEqual({ runs: [agentId], worktrees: ['w'] })
  })

  it('records the commits of its own ended attempts, however many a lost host has left', async () => {
    const { world, cores } = await twoHosts()
    await worktreeOn(world, B)
    await worktreeOn(world, LOCAL, 'here')
    const end = async (targetWorktree: string, agent: Actor): Promise<number> => {
      const { id } = await world.task({ targetWorktree })
      await world.perform(claimTask, { taskId: id }, agent)
      await world.perform(failTask, { taskId: id, errorMessage: 'no' }, agent)
      return id
    }
    const away = await world.agent('away', { worktree: 'w' })
    for (let n = 0; n < 51; n++) await end('w', away)
    world.pass(second)
    const id = await end('here', await world.agent('near', { worktree: 'here' }))
    const { attempts } = await perform(cores[LOCAL]!, readWishes, {}, system())
    expect(attempts.map(({ taskId }) => taskId)).toEqual([id])
  })

  it('takes only its own runs, and their tokens are valid from then on', async () => {
    const { world, cores, agentId } = await onB()
    const token: Actor = {
      kind: 'agent',
      id: agentId,
      role: 'worker',
      worktree: 'w',
      tokenHash: hashToken(world.core.launchToken(agentId, 1)),
    }
    const take = (host: string, run = 1) => perform(cores[host]!, takeRun, { agentId, run }, system())
    expect(await take(LOCAL)).toEqual({ taken: false })
    expect(await refused(world.perform(heartbeat, {}, token))).toBe('not_allowed')
    expect(await take(B, 2)).toEqual({ taken: false })
    expect(await take(B)).toEqual({ taken: true })
    // A process that ended between the two asks again.
    expect(await take(B)).toEqual({ taken: true })
    expect((await world.perform(heartbeat, {}, token)).id).toBe(agentId)
    await world.perform(recordLaunch, { agentId, run: 1, ...launch }, system())
    expect(await take(B)).toEqual({ taken: false })
  })

  it('gives out the ports of its own machine, whatever ports another one has given out', async () => {
    const { world, cores } = await twoHosts()
    await worktreeOn(world, B)
    await worktreeOn(world, B, 'second')
    await worktreeOn(world, LOCAL, 'here')
    const lease = async (host: string, worktreeName: string): Promise<boolean> =>
      (await perform(cores[host]!, leasePort, { worktreeName, purpose: 'work', port: 41_000 }, system())).leased
    expect(await lease(B, 'w')).toBe(true)
    expect(await lease(LOCAL, 'here')).toBe(true)
    expect(await lease(B, 'second')).toBe(false)
    const ports = async (host: string) =>
      (await perform(cores[host]!, readPorts, {}, system())).map(({ worktree, port }) => `${worktree} ${port}`)
    expect(await ports(B)).toEqual(['w 41000'])
    expect(await ports(LOCAL)).toEqual(['here 41000'])
  })

  it('does not plan for the board', async () => {
    const { world, ofB } = await twoHosts()
    expect(await refused(world.perform(dispatch, { maxParallel: 1 }, ofB))).toBe('stale_supervisor')
    expect(await refused(world.perform(sweep, {}, ofB))).toBe('stale_supervisor')
  })

  it('writes nothing after another process has taken its role', async () => {
    const { world, beat, ofB } = await twoHosts()
    await world.perform(renew, { agentIds: [] }, ofB)
    world.pass(10 * second)
    const successor = await beat(B, ['claude'], 'successor')
    expect(await refused(world.perform(renew, { agentIds: [] }, ofB))).toBe('stale_host')
    await world.perform(renew, { agentIds: [] }, successor)
  })

  it('that is lost writes nothing, and its task is pending without a used retry', async () => {
    const { world, cores, ofB, agentId, beat } = await onB()
    await perform(cores[B]!, takeRun, { agentId, run: 1 }, ofB)
    await world.perform(recordLaunch, { agentId, run: 1, ...launch }, ofB)
    expect(await world.perform(loseHost, { host: 'b' })).toMatchObject({ state: 'lost', epoch: 2, ended: [agentId] })
    expect(await refused(world.perform(renew, { agentIds: [agentId] }, ofB))).toBe('stale_host')
    expect(await world.show(1)).toMatchObject({ status: 'pending', retryCount: 0 })
    expect((await world.perform(listHosts, {})).map(({ state }) => state)).toEqual(['up', 'lost'])
    // It gets no role until its former processes are gone.
    expect(await refused(world.perform(renew, { agentIds: [] }, await beat(B)))).toBe('stale_host')
    await world.perform(returnHost, { hostId: B }, system())
    await world.perform(renew, { agentIds: [] }, await beat(B))
  })

  it('with the main checkout cannot be declared lost', async () => {
    const { world } = await twoHosts()
    expect(await refused(world.perform(loseHost, { host: LOCAL }))).toBe('invalid_state')
  })

  it('joins with a code that no other host has used, within 15 minutes', async () => {
    const { world } = await twoHosts()
    const join = (secret: string, hostId: string) =>
      world.perform(joinHost, { secret, hostId, name: 'b', machine: 'm', root: '/c' })
    const { secret } = await world.perform(makeJoinCode, {})
    expect(await refused(join('guessed', 'cccccccc'))).toBe('not_found')
    expect((await join(secret, 'cccccccc')).name).toBe('b-2')
    expect(await refused(join(secret, 'dddddddd'))).toBe('not_allowed')
    const late = await world.perform(makeJoinCode, {})
    world.pass(15 * minute)
    expect(await refused(join(late.secret, 'eeeeeeee'))).toBe('not_allowed')
    expect((await world.perform(listHosts, {})).map(({ id }) => id).sort()).toEqual([B, 'cccccccc', LOCAL])
  })
})

describe('a worktree', () => {
  it('is created beside the checkout of its host', async () => {
    const { world } = await twoHosts()
    expect(await worktreeOn(world, 'b')).toMatch(/^\/b\//)
    expect(await worktreeOn(world, LOCAL, 'other')).toContain(world.folder)
  })

  it('is built where the label is, and where most places are free', async () => {
    const { world } = await twoHosts()
    const create = (name: string, label?: string) =>
      world.perform(createWorktreeOn, { name, branchName: name, ...(label === undefined ? {} : { labels: [label] }) })
    expect((await create('one', 'big')).path).toMatch(/^\/b\//)
    expect((await refusal(create('two', 'gpu'))).message).toBe(
      "No host with the label 'gpu' takes a new worktree now; 'aiswarm host list' shows the hosts.",
    )
    await world.perform(changeHost, { host: LOCAL, maxParallel: 2 })
    expect((await create('three')).path).toMatch(/^\/b\//)
    await world.perform(changeHost, { host: 'b', to: 'drain' })
    expect((await create('four')).path).not.toMatch(/^\/b\//)
  })

  it('on another host than the target is not merged', async () => {
    const { world } = await twoHosts()
    await worktreeOn(world, 'b')
    expect(await refused(world.perform(requestIntegration, { worktreeName: 'w' }))).toBe('invalid_state')
  })
})

describe('a task', () => {
  const why = async (world: World) => (await world.perform(dispatch, { maxParallel: 8 }, system())).held[0]?.why

  it('waits for its host, and says why', async () => {
    const { world, beat } = await twoHosts()
    await worktreeOn(world, 'b')
    await world.task({ targetWorktree: 'w' })
    await world.perform(changeHost, { host: 'b', to: 'drain' })
    expect(await why(world)).toBe("it works in w, and host b takes no new work ('aiswarm host resume b')")
    await world.perform(changeHost, { host: 'b', to: 'resume' })
    await beat(B, ['command'])
    expect(await why(world)).toBe("it works in w, and agent kind 'claude' is not installed on host b")
    await beat(B)
    world.pass(31 * second)
    expect(await why(world)).toBe('it works in w, and host b has been silent since 14:22:33')
    await beat(B)
    await world.perform(changeHost, { host: 'b', maxParallel: 0 })
    expect(await why(world)).toBe('it works in w, and 0 of at most 0 agents are running on host b')
    await world.perform(changeHost, { host: 'b', maxParallel: null })
    expect((await world.perform(dispatch, { maxParallel: 8 }, system())).started).toHaveLength(1)
  })

  it('takes the last place of a host once', async () => {
    const { world } = await twoHosts()
    await world.perform(changeHost, { host: 'b', maxParallel: 1 })
    for (const name of ['w', 'v']) {
      await worktreeOn(world, 'b', name)
      await world.task({ targetWorktree: name })
    }
    const { started, held } = await world.perform(dispatch, { maxParallel: 8 }, system())
    expect(started).toHaveLength(1)
    expect(held.map((one) => one.why)).toEqual(['it works in v, and 1 of at most 1 agents are running on host b'])
  })

  it('keeps its agent while the host of that is silent', async () => {
    const { world, ofB, agentId } = await onB()
    await world.perform(recordLaunch, { agentId, run: 1, ...launch }, ofB)
    world.pass(5 * minute)
    await world.perform(sweep, {}, system())
    expect(await world.show(1)).toMatchObject({ status: 'in_progress', assignedAgentId: agentId })
  })
})
