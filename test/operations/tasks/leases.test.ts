import { describe, expect, it, test } from 'vitest'
import { type Actor, system } from '../../../src/domain/agent/actor.ts'
import { later } from '../../../src/domain/words/time.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import {
  claimTask,
  completeTask,
  failTask,
  reportTaskProgress,
  startTask,
} from '../../../src/operations/tasks/claims.ts'
import { heartbeat } from '../../../src/operations/agents/heartbeat.ts'
import { listAgents } from '../../../src/operations/agents/list.ts'
import { releaseLease, takeLease } from '../../../src/operations/supervision/leases.ts'
import { renew, sweep } from '../../../src/operations/supervision/sweep.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { minute, openCore, refused, second, start, type World } from '../../support/core.ts'
import { byHand } from '../../support/store.ts'

/** Agent a holds task 1. */
const held = async () => {
  const world = await openCore()
  await world.task()
  const a = await world.agent('a')
  await world.perform(claimTask, { taskId: 1, agentId: 'a' }, a)
  return { ...world, a }
}

const statusOf = async ({ perform }: Pick<World, 'perform'>, id: string) =>
  (await perform(listAgents, { all: true })).find((agent) => agent.id === id)!.status

/** Every write that the holder of a task can make. */
const writes = ({ perform }: Pick<World, 'perform'>, actor: Actor) => [
  () => perform(startTask, { taskId: 1 }, actor),
  () => perform(reportTaskProgress, { taskId: 1, progressNote: 'late' }, actor),
  () => perform(completeTask, { taskId: 1, resultData: 'late' }, actor),
  () => perform(failTask, { taskId: 1, errorMessage: 'late' }, actor),
]

describe('a stale attempt', () => {
  it('of the same agent is refused by its number, and the current attempt is not', async () => {
    const { task, agent, perform, pass, show } = await openCore()
    await task()
    const a = await agent('a')
    expect(await perform(claimTask, { taskId: 1, agentId: 'a' }, a)).toMatchObject({ attempt: 1 })
    pass(61_000)
    await perform(sweep, {}, system())
    expect(await perform(claimTask, { taskId: 1, agentId: 'a' }, a)).toMatchObject({ attempt: 2 })
    for (const write of [
      () => perform(startTask, { taskId: 1, attempt: 1 }, a),
      () => perform(reportTaskProgress, { taskId: 1, attempt: 1, progressNote: 'late' }, a),
      () => perform(failTask, { taskId: 1, attempt: 1, errorMessage: 'late' }, a),
      () => perform(completeTask, { taskId: 1, attempt: 1, resultData: 'of attempt 1' }, a),
    ])
      expect(await refused(write())).toBe('lease_lost')
    expect(await show(1)).toMatchObject({ status: 'claimed', resultData: null })
    await perform(completeTask, { taskId: 1, attempt: 2, resultData: 'of attempt 2' }, a)
    expect(await show(1)).toMatchObject({ status: 'completed', resultData: 'of attempt 2' })
  })

  it('cannot start, report, complete or fail a task that returned to the board', async () => {
    const { a, ...world } = await held()
    world.pass(61 * second)
    await world.perform(sweep, {}, system())
    const before = [await world.show(1), await world.events()]
    for (const write of writes(world, a)) expect(await refused(write())).toBe('lease_lost')
    expect([await world.show(1), await world.events()]).toEqual(before)
  })

  it('cannot write while another agent holds the task', async () => {
    const { a, ...world } = await held()
    const b = await world.agent('b')
    world.pass(61 * second)
    await world.perform(heartbeat, { agentId: 'b' }, b)
    await world.perform(sweep, {}, system())
    expect((await world.perform(claimTask, { taskId: 1, agentId: 'b' }, b)).attempt).toBe(2)
    const before = await world.show(1)
    for (const write of writes(world, a)) expect(await refused(write())).toBe('lease_lost')
    expect(await world.show(1)).toEqual(before)
  })

  it('cannot write after another agent completed the task', async () => {
    const { a, ...world } = await held()
    const b = await world.agent('b')
    world.pass(61 * second)
    await world.perform(heartbeat, { agentId: 'b' }, b)
    await world.perform(sweep, {}, system())
    await world.perform(claimTask, { taskId: 1, agentId: 'b' }, b)
    await world.perform(completeTask, { taskId: 1, resultData: 'in time' }, b)
    for (const write of writes(world, a)) expect(await refused(write())).toBe('invalid_state')
    expect((await world.show(1)).resultData).toBe('in time')
  })

  it('that sends a heartbeat brings its agent back, but not its task', async () => {
    const { a, ...world } = await held()
    world.pass(61 * second)
    await world.perform(sweep, {}, system())
    expect(await statusOf(world, 'a')).toBe('offline')
    await world.perform(heartbeat, { agentId: 'a' }, a)
    expect(await statusOf(world, 'a')).toBe('active')
    expect(await world.show(1)).toMatchObject({ status: 'pending', leaseExpiresAt: null })
  })
})

describe('an agent without a process of aiswarm', () => {
  it('is offline after 60 s without a heartbeat, and its claimed task is released at once', async () => {
    const { pass, perform, show, a } = await held()
    pass(60 * second)
    // Its lease has not yet expired.
    await perform(renew, { agentIds: [] }, system())
    await perform(heartbeat, { agentId: 'a' }, a)
    pass(60 * second - 1)
    expect(await perform(sweep, {}, system())).toEqual({ offline: [], released: [], expired: [], ended: [] })
    pass(2)
    expect(await perform(sweep, {}, system())).toEqual({ offline: ['a'], released: [1], expired: [], ended: [] })
    expect(await show(1)).toMatchObject({
      status: 'pending',
      assignedAgentId: null,
      retryCount: 0,
      notBefore: null,
      errorMessage: 'Agent a became silent before it started.',
      attempts: [{ attempt: 1, outcome: 'lost' }],
    })
  })

  it('keeps a started task until its lease expires, even while it is offline', async () => {
    const world = await held()
    const { pass, perform, show, a } = world
    await perform(startTask, { taskId: 1 }, a)
    pass(30 * second)
    await perform(reportTaskProgress, { taskId: 1, progressNote: 'x' }, a)
    // A lease that outlives the last heartbeat, as after a change of lease.ttl.
    await byHand(world.store, `UPDATE deadlines SET ends_ms = ends_ms + ${90 * second} WHERE subject = 'task'`)
    pass(61 * second)
    expect(await perform(sweep, {}, system())).toEqual({ offline: ['a'], released: [], expired: [], ended: [] })
    expect((await show(1)).status).toBe('in_progress')
    pass(89 * second - 1)
    expect(await perform(sweep, {}, system())).toEqual({ offline: [], released: [], expired: [], ended: [] })
    pass(1)
    expect(await perform(sweep, {}, system())).toEqual({ offline: [], released: [1], expired: [], ended: [] })
    expect(await show(1)).toMatchObject({
      status: 'pending',
      errorMessage: 'The lease of attempt 1 expired: agent a sent no heartbeat.',
    })
  })

  it('keeps everything it holds as long as it sends heartbeats', async () => {
    const { pass, perform, show, task, a, now } = await held()
    await task()
    await perform(claimTask, { taskId: 2, agentId: 'a' }, a)
    for (let beats = 0; beats < 10; beats++) {
      pass(50 * second)
      await perform(heartbeat, { agentId: 'a' }, a)
      expect(await perform(sweep, {}, system())).toEqual({ offline: [], released: [], expired: [], ended: [] })
    }
    expect([(await show(1)).leaseExpiresAt, (await show(2)).leaseExpiresAt]).toEqual([
      later(now(), minute),
      later(now(), minute),
    ])
  })
})

describe('a failed attempt', () => {
  const failOnce = async ({ perform, a }: { perform: World['perform']; a: Actor }) => {
    await perform(claimTask, { taskId: 1, agentId: 'a' })
    return perform(failTask, { taskId: 1, errorMessage: 'tests are red' }, a)
  }

  it('waits 30 s, then 60 s, and after the third attempt the task has failed with retryCount 2', async () => {
    const world = await openCore()
    await world.task()
    const a = await world.agent('a')
    const { perform, pass, now } = world
    expect(await failOnce({ perform, a })).toMatchObject({
      status: 'pending',
      retryCount: 1,
      notBefore: later(now(), 30 * second),
      errorMessage: 'tests are red',
    })
    pass(30 * second - 1)
    expect(await refused(perform(claimTask, { taskId: 1, agentId: 'a' }, a))).toBe('not_due')
    pass(1)
    expect(await failOnce({ perform, a })).toMatchObject({
      status: 'pending',
      retryCount: 2,
      notBefore: later(now(), 60 * second),
    })
    pass(60 * second)
    expect(await failOnce({ perform, a })).toMatchObject({
      status: 'failed',
      retryCount: 2,
      notBefore: null,
      completedAt: now(),
      assignedAgentId: 'a',
    })
    expect((await world.show(1)).attempts.map((attempt) => [attempt.attempt, attempt.outcome, attempt.error])).toEqual(
      [1, 2, 3].map((n) => [n, 'failed', 'tests are red']),
    )
  })

  it('does not delay a retry by hand, which uses no further retry', async () => {
    const world = await openCore()
    await world.task()
    const a = await world.agent('a')
    await failOnce({ perform: world.perform, a })
    expect(await world.perform(retryTask, { taskId: 1 })).toMatchObject({
      status: 'pending',
      retryCount: 1,
      notBefore: null,
    })
    expect((await world.perform(claimTask, { taskId: 1, agentId: 'a' }, a)).attempt).toBe(2)
  })

  it('for good can be retried by a person, one attempt at a time', async () => {
    const world = await openCore({ session: { maxRetries: 0 } })
    await world.task()
    const a = await world.agent('a')
    expect((await failOnce({ perform: world.perform, a })).status).toBe('failed')
    expect(await world.perform(retryTask, { taskId: 1 })).toMatchObject({
      status: 'pending',
      assignedAgentId: null,
      completedAt: null,
    })
    expect((await failOnce({ perform: world.perform, a })).status).toBe('failed')
  })

  it('has a delay that a person may skip, and an agent may not', async () => {
    const world = await openCore()
    await world.task()
    const a = await world.agent('a')
    await failOnce({ perform: world.perform, a })
    expect(await refused(world.perform(claimTask, { taskId: 1, agentId: 'a' }, a))).toBe('not_due')
    expect((await world.perform(claimTask, { taskId: 1, agentId: 'a' })).status).toBe('claimed')
  })

  it('is required for a retry by hand, which a running task refuses', async () => {
    const { perform } = await held()
    expect(await refused(perform(retryTask, { taskId: 1 }))).toBe('invalid_state')
    await perform(cancelTask, { taskId: 1 })
    expect(await refused(perform(retryTask, { taskId: 1 }))).toBe('invalid_state')
  })
})

test('a task that loses five agents fails for good, without using a retry', async () => {
  const { perform, task, agent, pass, show } = await openCore()
  await task()
  for (let lost = 1; lost <= 5; lost++) {
    const actor = await agent(`a-${lost}`)
    await perform(claimTask, { taskId: 1, agentId: `a-${lost}` }, actor)
    pass(61 * second)
    await perform(sweep, {}, system())
    expect((await show(1)).status).toBe(lost < 5 ? 'pending' : 'failed')
  }
  expect(await show(1)).toMatchObject({
    retryCount: 0,
    attempt: 5,
    errorMessage: 'Agent a-5 became silent before it started. This was the 5th attempt that was lost.',
  })
})

describe('the supervisor lease', () => {
  const ask = ({ perform }: Pick<World, 'perform'>, holder: string) =>
    perform(takeLease, { name: 'supervisor', holder, pid: 7, ttl: 15_000 }, system())

  it('is granted to one process at a time, and names its holder', async () => {
    const world = await openCore()
    expect(await ask(world, 'console')).toMatchObject({ granted: true, holder: 'console' })
    expect(await ask(world, 'run')).toEqual({
      granted: false,
      holder: 'console',
      holderPid: 7,
      expiresAt: later(start, 15_000),
      term: 1,
      lapsed: 0,
    })
    world.pass(15_000)
    expect(await ask(world, 'run')).toMatchObject({ granted: true, holder: 'run', term: 2 })
  })

  it('stops the loops of a process that lost it, before and after another process takes it', async () => {
    const world = await openCore()
    await ask(world, 'console')
    const console = system({ holder: 'console', term: 1 })
    await world.perform(sweep, {}, console)
    world.pass(15_000)
    expect(await refused(world.perform(sweep, {}, console))).toBe('stale_supervisor')
    await ask(world, 'run')
    expect(await refused(world.perform(renew, { agentIds: [] }, console))).toBe('stale_supervisor')
    await world.perform(sweep, {}, system({ holder: 'run', term: 2 }))
  })

  it('can be released', async () => {
    const world = await openCore()
    await ask(world, 'console')
    await world.perform(releaseLease, { name: 'supervisor', holder: 'console' }, system())
    expect(await ask(world, 'run')).toMatchObject({ granted: true })
  })
})
