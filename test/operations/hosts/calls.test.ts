import { describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { loseHost } from '../../../src/operations/failover/lost-hosts.ts'
import {
  answerHostCall,
  askHost,
  endHostCall,
  readHostAnswer,
  readHostCalls,
} from '../../../src/operations/hosts/calls.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { B, twoHosts } from '../../support/board-of-hosts.ts'
import { minute, refusal, refused, second } from '../../support/core.ts'

const asked = async () => {
  const hosts = await twoHosts()
  const { callId } = await hosts.world.perform(askHost, { host: 'b', verb: 'census', input: '{}' }, system())
  const answer = (host: string, text: string) =>
    perform(hosts.cores[host]!, answerHostCall, { callId, answer: text, problem: null }, system())
  const found = () => hosts.world.perform(readHostAnswer, { callId }, system())
  return { ...hosts, callId, answer, found }
}

describe('a question to another host', () => {
  it('is seen and answered only by that host, once', async () => {
    const { cores, answer, found, callId } = await asked()
    expect(await perform(cores[LOCAL]!, readHostCalls, {}, system())).toEqual([])
    expect(await perform(cores[B]!, readHostCalls, {}, system())).toEqual([{ callId, verb: 'census', input: '{}' }])
    expect(await answer(LOCAL, '"forged"')).toEqual({ answered: false })
    expect(await found()).toEqual({ answer: null, problem: null })
    expect(await answer(B, '"one"')).toEqual({ answered: true })
    expect(await answer(B, '"two"')).toEqual({ answered: false })
    expect(await found()).toEqual({ answer: '"one"', problem: null })
    expect(await perform(cores[B]!, readHostCalls, {}, system())).toEqual([])
  })

  it('is gone when it is over, and so are those that no console waits for', async () => {
    const { world, cores, beat, callId, found } = await asked()
    await world.perform(endHostCall, { callId }, system())
    expect((await found()).problem).toBe('the question has expired')
    await world.perform(askHost, { host: 'b', verb: 'census', input: '{}' }, system())
    world.pass(20 * second)
    expect(await perform(cores[B]!, readHostCalls, {}, system())).toEqual([])
    await beat(B)
    await world.perform(askHost, { host: 'b', verb: 'census', input: '{}' }, system())
    expect(await world.store.read.selectFrom('host_calls').selectAll().execute()).toHaveLength(1)
  })

  it('is refused if the host is silent or lost, or if its verb is not in the list', async () => {
    const { world } = await twoHosts()
    const ask = (verb = 'census') =>
      world.perform(askHost, { host: 'b', verb: verb as 'census', input: '{}' }, system())
    expect(await refused(ask('run_command'))).toBe('invalid_input')
    world.pass(minute)
    expect((await refusal(ask())).message).toMatch(/^Host b has been silent since .*, so it cannot be asked\./)
    await world.perform(loseHost, { host: 'b' })
    expect((await refusal(ask())).message).toMatch(/^Host b is lost, so it cannot be asked\./)
  })
})
