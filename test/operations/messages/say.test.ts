import { describe, expect, it } from 'vitest'
import { client, person } from '../../../src/domain/agent/actor.ts'
import { spawnAgent, terminateAgent } from '../../../src/operations/agents/spawn.ts'
import { listMessages } from '../../../src/operations/messages/inbox.ts'
import { say, stopTurn } from '../../../src/operations/messages/say.ts'
import { takeMessages } from '../../../src/operations/messages/handover.ts'
import { claimTask, completeTask, failTask, startTask } from '../../../src/operations/tasks/claims.ts'
import { openCore, refusal } from '../../support/core.ts'

/** A world with an agent `backend` that works on task 1. */
const working = async () => {
  const world = await openCore()
  await world.task()
  await world.agent('backend')
  const to = (text: string, more = {}) => world.perform(say, { agentIds: ['backend'], text, ...more })
  return { world, to }
}

describe('a message', () => {
  it('is queued for the run of each agent that it names, once', async () => {
    const { world } = await working()
    await world.agent('frontend')
    const said = await world.perform(say, { agentIds: ['backend', 'frontend', 'backend'], text: ' Stop at noon.\r\n' })
    expect(said).toMatchObject([
      { agentId: 'backend', text: 'Stop at noon.', when: 'now', status: 'queued', author: 'human', reason: null },
      { agentId: 'frontend', status: 'queued' },
    ])
    expect(await world.perform(listMessages, { agentId: 'frontend' })).toEqual([said[1]])
    expect(await world.perform(listMessages, {})).toEqual(said)
  })

  it.each([
    ['no words', ' \n ', 'say_to_agents at text: a message is required.'],
    ['a megabyte', 'x'.repeat(1_048_576), 'it has 1048576 characters, but at most 20000 are allowed; shorten it'],
    ['control characters', 'a\u001b[31mb', 'say_to_agents at text: it has control characters; remove them.'],
    ['a bell', 'a\u0007', 'it has control characters'],
    ['a C1 control', 'a\u009bb', 'it has control characters'],
  ])('of %s is refused', async (_, text, sentence) => {
    const { to } = await working()
    expect((await refusal(to(text))).message).toContain(sentence)
  })

  it('may have several lines, tabs and any letters', async () => {
    const { to } = await working()
    expect((await to('a\n\tb ü 😀 漢'))[0]!.text).toBe('a\n\tb ü 😀 漢')
  })

  it('to an agent that has ended, is unknown, or has no task for another attempt is refused', async () => {
    const { world, to } = await working()
    expect((await refusal(to('x', { when: 'attempt' }))).message).toBe(
      'Agent backend has no task, so there is no next attempt. Write it into a task.',
    )
    expect((await refusal(to('x', { agentIds: ['nobody'] }))).message).toContain('There is no agent nobody.')
    await world.perform(terminateAgent, { agentId: 'backend' })
    expect((await refusal(to('x'))).message).toBe(
      'Agent backend has ended. Say it with the next attempt of its task, or to another agent.',
    )
  })

  it('of a planner goes only to agents that it spawned, and names its author', async () => {
    const { world } = await working()
    await world.worktree('auth')
    await world.task({ targetWorktree: 'auth' })
    const planner = await world.agent('planner-1', { personaId: 'planner' })
    const worker = await world.perform(spawnAgent, { personaId: 'implementer', kind: 'claude', taskId: 2 }, planner)
    expect((await refusal(world.perform(say, { agentIds: ['backend'], text: 'Do as I say.' }, planner))).message).toBe(
      'planner-1 may speak only to agents that it spawned, and backend is not one of them.',
    )
    expect(await world.perform(say, { agentIds: [worker.id], text: 'Begin with the tests.' }, planner)).toMatchObject([
      { author: 'planner-1', authorKind: 'agent' },
    ])
    expect((await refusal(world.perform(say, { agentIds: ['backend'], text: 'x' }, client('person')))).code).toBe(
      'not_allowed',
    )
  })

  it('from a worker is refused', async () => {
    const { world } = await working()
    const worker = await world.agent('frontend')
    expect((await refusal(world.perform(say, { agentIds: ['backend'], text: 'x' }, worker))).code).toBe('not_allowed')
  })

  it.each(['completes', 'fails'])(
    'that came with the answer of a tool is seen by a call that %s the task',
    async (how) => {
      const { world, to } = await working()
      const backend = { kind: 'agent', id: 'backend', role: 'worker', worktree: null } as const
      await world.perform(claimTask, { taskId: 1 }, backend)
      await world.perform(startTask, { taskId: 1 }, backend)
      await to('Use the form.')
      expect(await world.perform(takeMessages, {}, backend)).toHaveLength(1)
      await to('And hurry.')
      if (how === 'completes') await world.perform(completeTask, { taskId: 1 }, backend)
      else await world.perform(failTask, { taskId: 1, errorMessage: 'no form' }, backend)
      // A message that waits is not seen by that.
      expect((await world.perform(listMessages, {})).map(({ status }) => status)).toEqual(['seen', 'queued'])
    },
  )

  it('that ends a turn is refused by an agent whose kind cannot', async () => {
    const { world } = await working()
    expect((await refusal(world.perform(stopTurn, { agentId: 'backend' }, person))).message).toBe(
      'The kind external of backend cannot stop a turn alone. Terminate the agent instead.',
    )
  })
})
