import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { startSupervisor } from '../../../src/effects/loops/supervisor.ts'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { journalIds } from '../../../src/effects/talk/journal.ts'
import type { World } from '../../../src/effects/world.ts'
import { listMessages } from '../../../src/operations/messages/inbox.ts'
import { say, stopTurn } from '../../../src/operations/messages/say.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { answerRequest } from '../../../src/operations/requests/answers.ts'
import { listRequests } from '../../../src/operations/requests/requests.ts'
import { completeTask } from '../../../src/operations/tasks/claims.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { withAbsence } from '../../support/unreachable-store.ts'
import { connectionOf } from '../../support/store.ts'
import { openSwarm, read, type Swarm, until } from '../swarm.ts'
import { streamAgent } from './stream-agent.ts'

/** A console that runs the loops; `die` ends it as a crash does, without giving anything back. */
const console_ = (world: World) => {
  const supervisor = startSupervisor(world, { maxParallel: 1 })
  return { stop: () => supervisor.stop() }
}

/** A swarm whose only agent, implementer-1, works on task 1. */
const working = async (more = '') => {
  const swarm = await openSwarm({ config: `agents: {default: claude}\n${more}` })
  const { id } = await swarm.task({ title: 'Log in' })
  const supervisor = console_(swarm.world)
  const agentId = 'implementer-1'
  await until('the agent', async () => (await swarm.run(agentId).catch(() => undefined))?.process === 'started')
  return {
    swarm,
    id,
    agentId,
    supervisor,
    say: async (text: string, when: 'now' | 'turn' | 'attempt' = 'now') =>
      (await perform(swarm.core, say, { agentIds: [agentId], text, when }, person))[0]!.id,
    ended: (): Promise<unknown> =>
      until('the end of the run', async () => (await swarm.agent(agentId)).process === 'ended'),
  }
}

const requestsOf = (swarm: Swarm) => perform(swarm.core, listRequests, {}, person)
const messageOf = async (swarm: Swarm, id: number) =>
  (await perform(swarm.core, listMessages, {}, person)).find((message) => message.id === id)!
const stateOf = (swarm: Swarm, id: number, state: string) =>
  until(`message ${id} ${state}`, async () => (await messageOf(swarm, id)).status === state)

describe('an agent in a conversation', () => {
  it('gets its prompt, and ends with its turn although its task is unfinished', async () => {
    const agent = streamAgent([{ say: 'I would rather not.' }])
    const { swarm, id, ended, supervisor } = await working('session: {maxRetries: 0}\n')
    await ended()
    expect(agent.heard()).toHaveLength(1)
    expect(agent.heard()[0]).toContain('# Your task: 1. Log in')
    expect(await swarm.show(id)).toMatchObject({
      status: 'failed',
      errorMessage: expect.stringContaining('no-artifact') as string,
    })
    await supervisor.stop()
  })

  it('hears a message while it works, and the message is then seen', async () => {
    const agent = streamAgent([{ until: 'go' }, { say: 'going' }])
    const { swarm, say, ended, supervisor } = await working()
    const id = await say('Use the other file.')
    await stateOf(swarm, id, 'handed_over')
    agent.tell('go')
    await ended()
    expect(agent.heard().slice(1)).toEqual([`Message ${id} from the person at the console:\n\nUse the other file.`])
    expect(await messageOf(swarm, id)).toMatchObject({ status: 'seen', reason: null })
    await supervisor.stop()
  })

  it('hears a message for the end of its turn only then, in a turn of its own', async () => {
    const agent = streamAgent([{ until: 'go' }], [{ say: 'more' }])
    const { swarm, say, ended, supervisor } = await working()
    const late = await say('And write a test.', 'turn')
    const soon = await say('Hurry.')
    await stateOf(swarm, soon, 'handed_over')
    expect(await messageOf(swarm, late)).toMatchObject({ status: 'queued' })
    agent.tell('go')
    await ended()
    expect(
      agent
        .heard()
        .slice(1)
        .map((words) => words.split('\n').at(-1)),
    ).toEqual(['Hurry.', 'And write a test.'])
    expect((await messageOf(swarm, late)).status).toBe('seen')
    await supervisor.stop()
  })

  it('whose turn is stopped keeps its run, waits, and continues with a message', async () => {
    const agent = streamAgent([{ until: 'never' }], [{ say: 'going on' }])
    const { swarm, id, agentId, say, ended, supervisor } = await working()
    await until('the prompt', () => agent.heard().length === 1)
    const stop = await perform(swarm.core, stopTurn, { agentId }, person)
    await stateOf(swarm, stop.id, 'seen')
    expect(await swarm.show(id)).toMatchObject({ status: 'claimed', assignedAgentId: agentId })
    await say('Go on, with less.')
    await ended()
    expect(agent.heard()).toHaveLength(2)
    await supervisor.stop()
  })

  it('asks for permission, is allowed, and is denied with words', async () => {
    streamAgent([
      { ask: { tool: 'Bash', input: { command: 'npm test' } }, twice: true },
      { ask: { tool: 'Write', input: { file_path: '/etc/passwd' } } },
    ])
    const { swarm, ended, supervisor } = await working()
    const first = await until('a request', async () => (await requestsOf(swarm))[0])
    expect(first).toMatchObject({ tool: 'Bash', subject: 'npm test', rule: 'shell(npm test)' })
    await act(swarm.connection, answerRequest, { requestId: first.id, verdict: 'allow' })
    const second = await until('another request', async () => (await requestsOf(swarm))[0])
    await act(swarm.connection, answerRequest, { requestId: second.id, verdict: 'deny', reason: 'Ask the admin.' })
    await ended()
    const { text } = await swarm.connection.outside.readOutput('implementer-1', { tail: 10_000 })
    expect(text).toContain('allowed Bash\n')
    expect(text).toContain('denied Write: A person denied this: Ask the admin.\n')
    const all = await perform(swarm.core, listRequests, { all: true }, person)
    expect(all.map(({ status, toldAt }) => [status, toldAt !== null])).toEqual([
      ['allowed', true],
      ['denied', true],
    ])
    await supervisor.stop()
  })

  it('asks a person although the board was away when it asked, and soon', async () => {
    streamAgent([
      { ask: { tool: 'Bash', input: { command: 'npm test' } } },
      { ask: { tool: 'Write', input: { file_path: '/etc/passwd' } } },
    ])
    const swarm = await openSwarm({ config: 'agents: {default: claude}\n' })
    await swarm.task({ title: 'Log in' })
    const run = await swarm.begin()
    const { world, refuse } = withAbsence(swarm.world)
    const pump = () => world.talks.pump(world, run)
    const printed = (text: string) => until(text, () => read(outputPath(swarm.root, run.agentId)).includes(text))
    const asked = async () => {
      await pump()
      return (await requestsOf(swarm))[0]
    }
    const first = await until('a request', asked)
    await act(swarm.connection, answerRequest, { requestId: first.id, verdict: 'allow' })
    await pump()
    await printed('/etc/passwd')
    refuse(1)
    await expect(pump()).rejects.toThrow('The server does not answer.')
    expect(world.talks.due(world, [run])).toEqual([run])
    const second = await until('another request', asked)
    expect(second.tool).toBe('Write')
    await act(swarm.connection, answerRequest, { requestId: second.id, verdict: 'allow' })
    await pump()
    await printed('allowed Write')
  })

  it('gets each answer once, and is known to have it, although the board was away at any moment of that', async () => {
    const asks = 14
    const ask = (n: number) => ({ ask: { tool: 'Bash', input: { command: `make ${n}` } }, id: `call-${n}` })
    streamAgent([...Array.from({ length: asks }, (_, n) => ask(n)), { until: 'end' }])
    const swarm = await openSwarm({ config: 'agents: {default: claude}\n' })
    await swarm.task({ title: 'Log in' })
    const run = await swarm.begin()
    const { world, refuse, wasAway } = withAbsence(swarm.world)
    const pump = () => world.talks.pump(world, run)
    for (let nth = 1, was = true; was; nth++) {
      expect(nth).toBeLessThan(asks)
      const { id } = await until(`request ${nth}`, async () => {
        await pump()
        return (await requestsOf(swarm))[0]
      })
      await act(swarm.connection, answerRequest, { requestId: id, verdict: 'allow' })
      refuse(nth)
      await pump().catch(() => {})
      was = wasAway()
      refuse(Infinity)
      if (was) expect(world.talks.due(world, [run]), `access ${nth}`).toEqual([run])
      // The term of a lease whose release was refused has not passed: the answer is not forgotten until it has.
      await pump()
      connectionOf(swarm.core.store).exec('DELETE FROM leases')
      await Promise.all(world.talks.due(world, [run]).map(pump))
      await until(`answer ${nth}`, async () => {
        const { text } = await swarm.connection.outside.readOutput(run.agentId, { tail: 100_000 })
        return text.split('allowed Bash\n').length - 1 === nth
      })
      const all = await perform(swarm.core, listRequests, { all: true }, person)
      expect(
        all.map(({ status, toldAt }) => [status, toldAt !== null]),
        `access ${nth}`,
      ).toEqual([...Array.from({ length: nth }, () => ['allowed', true]), ...all.slice(nth).map(() => ['open', false])])
    }
    const written = journalIds(swarm.core, run)
    expect(new Set(written).size).toBe(written.length)
  })

  it('is known to have heard a message although the board was away meanwhile', async () => {
    const agent = streamAgent([{ until: 'go' }, { until: 'end' }])
    const swarm = await openSwarm({ config: 'agents: {default: claude}\n' })
    await swarm.task({ title: 'Log in' })
    const run = await swarm.begin()
    const { world, refuse } = withAbsence(swarm.world)
    const pump = () => world.talks.pump(world, run)
    const [{ id } = { id: 0 }] = await perform(swarm.core, say, { agentIds: [run.agentId], text: 'Hello' }, person)
    await until('the message to be sent', async () => {
      await pump()
      return (await messageOf(swarm, id)).status === 'handed_over'
    })
    agent.tell('go')
    await until('the agent to hear it', () => agent.heard().length === 2)
    refuse(1)
    await expect(pump()).rejects.toThrow('The server does not answer.')
    await pump()
    expect(await messageOf(swarm, id)).toMatchObject({ status: 'seen' })
  })

  it('takes a question back when its turn is stopped', async () => {
    streamAgent([{ ask: { tool: 'Bash', input: { command: 'npm test' } } }])
    const { swarm, agentId, supervisor } = await working()
    await until('a request', async () => (await requestsOf(swarm))[0])
    await perform(swarm.core, stopTurn, { agentId }, person)
    await until('no request', async () => (await requestsOf(swarm)).length === 0)
    const [request] = await perform(swarm.core, listRequests, { all: true }, person)
    expect(request).toMatchObject({ status: 'withdrawn' })
    await supervisor.stop()
  })

  it('ends once its task is completed', async () => {
    const agent = streamAgent([{ until: 'go' }, { say: 'goodbye' }])
    const { swarm, id, agentId, ended, supervisor } = await working()
    await perform(swarm.core, completeTask, { taskId: id, agentId, resultData: 'done' }, person)
    agent.tell('go')
    await ended()
    expect(await swarm.show(id)).toMatchObject({ status: 'completed' })
    expect(await swarm.agent(agentId)).toMatchObject({ exitCode: 0 })
    await supervisor.stop()
  })

  it('gets a message for the next attempt with its prompt, once', async () => {
    const agent = streamAgent([{ until: 'go' }])
    const { swarm, id, say, supervisor } = await working()
    const message = await say('Read the docs first.', 'attempt')
    agent.tell('go')
    await until('the first retry', async () => (await swarm.show(id)).notBefore !== null)
    await perform(swarm.core, retryTask, { taskId: id }, person)
    await until('the second attempt', () => agent.heard().length >= 2)
    expect(agent.heard()[0]).not.toContain('Read the docs first.')
    expect(agent.heard()[1]).toContain(
      `# Messages\nMessage ${message} from the person at the console:\n\nRead the docs first.`,
    )
    await stateOf(swarm, message, 'seen')
    await supervisor.stop()
  })

  it('that dies in the middle of a line leaves its messages refused, with the reason', async () => {
    const agent = streamAgent([{ until: 'go' }, { half: true }])
    const { swarm, say, ended, supervisor } = await working()
    const id = await say('At the end, please.', 'turn')
    agent.tell('go')
    await ended()
    expect(await messageOf(swarm, id)).toMatchObject({
      status: 'refused',
      reason: 'The run ended before the message could be handed over.',
    })
    await supervisor.stop()
  })
})
