import { beforeEach, describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { heartbeat } from '../../../src/operations/agents/heartbeat.ts'
import { listAgents } from '../../../src/operations/agents/list.ts'
import { answerRequest } from '../../../src/operations/requests/answers.ts'
import { askHuman } from '../../../src/operations/requests/questions.ts'
import { takeLease } from '../../../src/operations/supervision/leases.ts'
import { sweep } from '../../../src/operations/supervision/sweep.ts'
import { claimTask, failTask, startTask } from '../../../src/operations/tasks/claims.ts'
import { minute, openCore, refused, second } from '../../support/core.ts'
import { onlyOnSqlite } from '../../support/store.ts'

const hour = 60 * minute

/** A change of the wall clock while real time continues. */
const jumps: Readonly<Record<string, (jump: (ms: number) => void) => void>> = {
  'goes forward by an hour': (jump) => jump(hour),
  'goes back by an hour': (jump) => jump(-hour),
  'goes forward by a month': (jump) => jump(30 * 24 * hour),
  'goes back by a month': (jump) => jump(-30 * 24 * hour),
  'goes back and forth by an hour': (jump) => [hour, -2 * hour, hour].forEach(jump),
}

const world = async () => {
  const made = await openCore()
  await made.task()
  const a = await made.agent('a')
  const swept = () => made.perform(sweep, {}, system())
  return { ...made, a, swept, status: async () => (await made.show(1)).status }
}

/** A board on a server knows none of these clocks, but that of the server (test/postgres/clock.test.ts). */
const ofThisMachine = (): void => beforeEach(() => onlyOnSqlite('it moves the clocks of a machine'))

describe.each(Object.entries(jumps))('when the wall clock %s', (_, apply) => {
  ofThisMachine()

  it('a claimed task stays with its agent exactly for its lease', async () => {
    const { perform, pass, jump, swept, status, a } = await world()
    await perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    pass(59 * second)
    apply(jump)
    await swept()
    expect(await status()).toBe('claimed')
    pass(second)
    await swept()
    expect(await status()).toBe('pending')
  })

  it('a task in progress stays with an agent that sends heartbeats', async () => {
    const { perform, pass, jump, swept, status, a } = await world()
    await perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    await perform(startTask, { taskId: 1 }, a)
    pass(30 * second)
    apply(jump)
    await swept()
    await perform(heartbeat, {}, a)
    pass(59 * second)
    await swept()
    expect(await status()).toBe('in_progress')
    pass(second)
    await swept()
    expect(await status()).toBe('pending')
  })

  it('an agent is offline exactly after its timeout', async () => {
    const { perform, pass, jump, swept } = await world()
    const standing = async () => (await perform(listAgents, { all: true })).find(({ id }) => id === 'a')!.status
    pass(59 * second)
    apply(jump)
    await swept()
    expect(await standing()).toBe('active')
    pass(second)
    await swept()
    expect(await standing()).toBe('offline')
  })

  it('a role stays with its holder exactly for its term', async () => {
    const { perform, pass, jump } = await world()
    const take = async (holder: string) =>
      (await perform(takeLease, { name: 'supervisor', holder, pid: 7, ttl: 10 * second }, system())).granted
    await take('gone')
    pass(9 * second)
    apply(jump)
    expect(await take('next')).toBe(false)
    pass(second)
    expect(await take('next')).toBe(true)
  })

  it('a question waits for a person exactly for its timeout', async () => {
    const { perform, pass, jump, swept, a } = await world()
    const ask = () => perform(askHuman, { question: 'Which?' }, a)
    const answer = (requestId: number) => perform(answerRequest, { requestId, verdict: 'answer', answer: 'this' })
    const [first, second_] = [await ask(), await ask()]
    pass(10 * minute - second)
    apply(jump)
    await swept()
    expect((await answer(first.id)).status).toBe('answered')
    pass(second)
    expect(await refused(answer(second_.id))).toBe('invalid_state')
    expect((await swept()).expired).toEqual([second_.id])
  })

  it('a task that waits for its retry can be claimed after its delay, not hours later', async () => {
    const { perform, pass, jump, swept, a } = await world()
    await perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    await perform(failTask, { taskId: 1, errorMessage: 'no' }, a)
    pass(5 * second)
    apply(jump)
    await swept()
    pass(30 * second)
    expect((await perform(claimTask, { taskId: 1, agentId: 'a' }, a)).attempt).toBe(2)
  })
})

describe('after a restart of the machine', () => {
  ofThisMachine()

  it('every lease gets a whole term by the new clock', async () => {
    const { perform, pass, reboot, swept, status, a } = await world()
    pass(hour)
    await perform(heartbeat, {}, a)
    await perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    reboot()
    await swept()
    expect(await status()).toBe('claimed')
    pass(minute - 1)
    await swept()
    expect(await status()).toBe('claimed')
    pass(1)
    await swept()
    expect(await status()).toBe('pending')
  })
})

describe('a supervisor that was suspended', () => {
  it('gives every agent a whole term before it acts', async () => {
    const { perform, pass, status, a } = await world()
    await perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    pass(66 * second)
    await perform(sweep, { stood: true }, system())
    expect(await status()).toBe('claimed')
    await perform(heartbeat, {}, a)
    pass(59 * second)
    await perform(sweep, {}, system())
    expect(await status()).toBe('claimed')
    pass(second)
    await perform(sweep, {}, system())
    expect(await status()).toBe('pending')
  })
})
