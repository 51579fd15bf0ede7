import { describe, expect, it } from 'vitest'
import { client, person } from '../../../src/domain/agent/actor.ts'
import { deregisterAgent } from '../../../src/operations/agents/heartbeat.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { listMail, listMessages, markMailRead } from '../../../src/operations/messages/inbox.ts'
import { readMessages, sendMessage } from '../../../src/operations/messages/mail.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { listEvents } from '../../../src/operations/sessions/sessions.ts'
import { minute, openCore, refusal } from '../../support/core.ts'

/** Two implementers, `backend` and `frontend`, and a tester. */
const office = async () => {
  const world = await openCore()
  const backend = await world.agent('backend')
  const frontend = await world.agent('frontend')
  const tester = await world.agent('tester-1', { personaId: 'tester' })
  const send = (to: string, text = 'The API has changed.', actor = backend) =>
    world.perform(sendMessage, { to, text }, actor)
  return { world, backend, frontend, tester, send }
}

describe('mail', () => {
  it('of an agent to another is queued for its run, read once, and seen with the next call', async () => {
    const { world, frontend, backend, send } = await office()
    expect(await send('frontend')).toMatchObject([
      { agentId: 'frontend', author: 'backend', authorKind: 'agent', sentTo: 'frontend', status: 'queued' },
    ])
    expect((await world.perform(readMessages, {}, frontend)).received).toMatchObject([{ status: 'handed_over' }])
    expect((await world.perform(readMessages, {}, frontend)).received).toMatchObject([{ status: 'seen' }])
    expect(await world.perform(readMessages, {}, backend)).toMatchObject({ received: [], sent: [{ status: 'seen' }] })
  })

  it('to a persona goes to each of its other agents that works', async () => {
    const { send } = await office()
    expect((await send('persona:implementer')).map(({ agentId }) => agentId)).toEqual(['frontend'])
    expect((await send('persona:tester')).map(({ agentId }) => agentId)).toEqual(['tester-1'])
    expect((await refusal(send('persona:reviewer'))).message).toBe(
      'No other agent of persona reviewer works now. Write it into a task for that persona.',
    )
    expect((await refusal(send('persona:nobody'))).code).toBe('not_found')
  })

  it('to the planner goes to the agent that spawned its author, then to any planner, then to the person', async () => {
    const { world, send } = await office()
    expect(await send('planner')).toMatchObject([{ agentId: 'human', sentTo: 'planner' }])
    const planner = await world.agent('planner-1', { personaId: 'planner' })
    await world.agent('planner-2', { personaId: 'planner' })
    expect((await send('planner')).map(({ agentId }) => agentId)).toEqual(['planner-1', 'planner-2'])
    await world.worktree('auth')
    await world.task({ targetWorktree: 'auth' })
    const worker = await world.perform(spawnAgent, { personaId: 'implementer', kind: 'claude', taskId: 1 }, planner)
    const asWorker = { kind: 'agent', id: worker.id, role: 'worker', worktree: 'auth' } as const
    expect((await send('planner', 'x', asWorker)).map(({ agentId }) => agentId)).toEqual(['planner-1'])
  })

  it('to the person waits in the inbox until a person has read it; later mail stays unread', async () => {
    const { world, backend, send } = await office()
    await send('person', 'The tests need a key.')
    await send('person', 'It is called API_KEY.')
    expect((await world.perform(readBoard, {})).attention).toMatchObject([
      {
        kind: 'mail',
        agentId: 'backend',
        text: 'backend writes: The tests need a key.',
        evidence: '2 unread messages; it waits for no answer',
        command: 'aiswarm mail read backend (look first: mail list)',
      },
    ])
    await send('person', 'One more.')
    expect((await refusal(world.perform(markMailRead, { agentId: 'backend' }, backend))).code).toBe('not_allowed')
    expect(await world.perform(markMailRead, { agentId: 'backend', upTo: 2 })).toMatchObject({ read: [1, 2] })
    expect((await world.perform(listMail, {})).map(({ id }) => id)).toEqual([3])
    expect((await world.perform(listMail, { all: true })).map(({ status }) => status)).toEqual([
      'seen',
      'seen',
      'queued',
    ])
  })

  it('to the planner is read by a program that plans, and mail to the person is not', async () => {
    const { world, send } = await office()
    await send('planner', 'For the planner.')
    await send('person', 'For the person.')
    const { received } = await world.perform(readMessages, {}, client('planner'))
    expect(received.map(({ text }) => text)).toEqual(['For the planner.'])
    expect((await world.perform(listMail, {})).map(({ text }) => text)).toEqual(['For the person.'])
    expect((await refusal(world.perform(readMessages, {}, client('person')))).code).toBe('not_allowed')
  })

  it.each([
    ['to itself', 'backend', 'Agent backend is you.'],
    ['to an agent that does not exist', 'nobody', 'There is no agent nobody.'],
    ['to an agent of another project', 'other/backend', 'There is no agent other/backend.'],
  ])('%s is refused', async (_, to, sentence) => {
    const { send } = await office()
    expect((await refusal(send(to))).message).toContain(sentence)
  })

  it('of 4,001 characters, or with control characters, is refused', async () => {
    const { send } = await office()
    expect((await send('frontend', 'x'.repeat(4000)))[0]!.text).toHaveLength(4000)
    expect((await refusal(send('frontend', 'x'.repeat(4001)))).message).toContain('at most 4000 are allowed')
    expect((await refusal(send('frontend', 'a\u001b[2J'))).message).toContain('it has control characters')
  })

  it('of a client that does not plan, as the shell of an agent is, is refused', async () => {
    const { send } = await office()
    expect((await refusal(send('frontend', 'x', client('person')))).message).toBe(
      'A client without an identity may not send messages; only an agent, a planner or a person may.',
    )
  })

  it('beyond ten messages in ten minutes is refused, and is sent later', async () => {
    const { world, send } = await office()
    for (let n = 0; n < 10; n++) await send('frontend', `${n}`)
    const { code, message } = await refusal(send('frontend'))
    expect([code, message]).toEqual([
      'rate_limited',
      'backend has sent 10 messages in the last 10 minutes, and at most 10 are allowed. Continue your work, and send later.',
    ])
    world.pass(10 * minute)
    expect(await send('frontend')).toHaveLength(1)
  })

  it('to a reader with twenty unread messages is refused', async () => {
    const { world, send, tester } = await office()
    for (let n = 0; n < 10; n++) await send('frontend')
    for (let n = 0; n < 10; n++) await send('frontend', 'x', tester)
    world.pass(11 * minute)
    expect((await refusal(send('frontend'))).message).toBe(
      'frontend has 20 unread messages. Send later, or write it into a task.',
    )
  })

  it('that its reader did not get before it left is refused with the reason', async () => {
    const { world, send } = await office()
    await send('frontend')
    await world.perform(deregisterAgent, { agentId: 'frontend' })
    expect(await world.perform(listMessages, { agentId: 'backend' })).toMatchObject([
      { status: 'refused', reason: 'The run ended before the message could be handed over.' },
    ])
    expect((await refusal(send('frontend'))).message).toContain('Agent frontend has ended.')
  })

  it('leaves an event with its address and the beginning of its words', async () => {
    const { world, send } = await office()
    await send('frontend', `${'x'.repeat(200)}yz`)
    const events = await world.perform(listEvents, {}, person)
    expect(events.at(-1)).toMatchObject({
      actor: 'backend',
      operation: 'send_message',
      details: { messages: [1], to: 'frontend', text: `${'x'.repeat(200)}…` },
    })
  })
})
