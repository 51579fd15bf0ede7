import { describe, expect, it, test } from 'vitest'
import type { Wish } from '../../../src/contracts/outside.ts'
import { type Actor, person, system } from '../../../src/domain/agent/actor.ts'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import { deregisterAgent, heartbeat } from '../../../src/operations/agents/heartbeat.ts'
import { getAgentRuns } from '../../../src/operations/agents/runs.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { recordGuard } from '../../../src/operations/integration/configuration-drift.ts'
import { readGuard } from '../../../src/operations/integration/configuration.ts'
import type { Connection } from '../../../src/operations/perform/core.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { listEvents } from '../../../src/operations/sessions/sessions.ts'
import { takeLease } from '../../../src/operations/supervision/leases.ts'
import { renew, sweep } from '../../../src/operations/supervision/sweep.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask, completeTask, reportTaskProgress } from '../../../src/operations/tasks/claims.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { agentActor, openCore, refusal, refused, type World } from '../../support/core.ts'

describe('an input', () => {
  it('is refused with the operation, the place and the expected value', async () => {
    const { perform } = await openCore()
    expect((await refusal(perform(createTask, { title: '', personaId: 'implementer' }))).message).toBe(
      'create_task at title: a title is required.',
    )
    expect(
      (
        await refusal(
          perform(createTask, { title: 'x', personaId: 'implementer', dependencies: [1, 'two' as unknown as number] }),
        )
      ).message,
    ).toContain('create_task at dependencies.1: ')
  })

  it('is refused if it is nested too deeply', async () => {
    const world = await openCore()
    const worker = await world.agent('a')
    await world.task()
    await world.perform(claimTask, { taskId: 1, agentId: 'a' }, worker)
    const resultData = JSON.parse('['.repeat(30_000) + ']'.repeat(30_000)) as never
    const { code, message } = await refusal(world.perform(completeTask, { taskId: 1, resultData }, worker))
    expect(`${code} ${message}`).toBe(
      'invalid_input complete_task: the input is nested too deeply. Use fewer levels, or write it to a file.',
    )
  })

  it('is refused with an unknown key', async () => {
    const { perform } = await openCore()
    expect(await refused(perform(claimTask, { taskId: 1, agentId: 'a', force: true } as never))).toBe('invalid_input')
  })

  it.each<[string, string, (world: World) => Promise<unknown>]>([
    ['a title', 'create_task at title', ({ task }) => task({ title: 'a\0b' })],
    ['a value of JSON', 'create_task at metadata.list.1', ({ task }) => task({ metadata: { list: ['a', '\0'] } })],
    ['a key of JSON', 'create_task at metadata.a\ufffd', ({ task }) => task({ metadata: { 'a\0': 1 } })],
    ['a filter', 'list_tasks at where', ({ perform: run }) => run(listTasks, { where: 'title:a\0' })],
    ['an id', 'get_agent_runs at agentId', ({ perform: run }) => run(getAgentRuns, { agentId: 'a\0' })],
    [
      'the id of a call',
      'create_task at requestId',
      ({ core }) => perform(core, createTask, { title: 'x', personaId: 'implementer' }, person, { requestId: 'a\0' }),
    ],
  ])('is refused with a NUL character in %s', async (_, place, call) => {
    const world = await openCore()
    expect((await refusal(call(world))).message).toBe(
      `${place}: it has a NUL character, which a text cannot have; remove it.`,
    )
    expect(await world.events()).toEqual([])
  })

  it('of a loop, which records what programs print, is kept without its NUL characters', async () => {
    const { perform } = await openCore()
    const entries = { 'hooks/a\0': 'b\0c' }
    await perform(recordGuard, { found: { hash: 'x', entries }, lines: [] }, system())
    expect((await perform(readGuard, {}))!.entries).toEqual({ 'hooks/a\ufffd': 'b\ufffdc' })
  })

  const wrong: Readonly<Record<string, unknown>> = {
    'a title of blanks': { title: '   ' },
    'a title of 501 characters': { title: 'x'.repeat(501) },
    'a broken priority': { priority: 1.5 },
    'a priority that is not a number': { priority: '5' },
    'dependency 0': { dependencies: [0] },
    'an empty command': { command: '' },
    'metadata that is not JSON': { metadata: () => 1 },
    'a task number beyond all integers': { parentTaskId: 2 ** 53 },
  }
  for (const [name, change] of Object.entries(wrong)) {
    it(`is refused with ${name}`, async () => {
      const { perform, events } = await openCore()
      expect(await refused(perform(createTask, { title: 'x', personaId: 'implementer', ...(change as object) }))).toBe(
        'invalid_input',
      )
      expect(await events()).toEqual([])
    })
  }

  it('is checked before the authority, so that the message helps', async () => {
    const { perform } = await openCore()
    expect(await refused(perform(sweep, { now: 1 } as never, agentActor('a')))).toBe('invalid_input')
  })
})

describe('the authority', () => {
  it('of loops is refused to people and agents', async () => {
    const { perform, agent } = await openCore()
    const worker = await agent('a')
    expect(await refused(perform(sweep, {}))).toBe('not_allowed')
    expect(await refused(perform(sweep, {}, worker))).toBe('not_allowed')
    expect(await refused(perform(takeLease, { name: 'supervisor', holder: 'x', pid: 1, ttl: 1 }, worker))).toBe(
      'not_allowed',
    )
  })

  it('of planners is refused to workers', async () => {
    const { perform, agent, task } = await openCore()
    const { id: taskId } = await task()
    const worker = await agent('a')
    expect(await refused(perform(cancelTask, { taskId }, worker))).toBe('not_allowed')
    expect(await refused(perform(spawnAgent, { personaId: 'implementer' }, worker))).toBe('not_allowed')
    expect((await perform(cancelTask, { taskId }, await agent('p', { personaId: 'planner' }))).status).toBe('cancelled')
  })

  it('ends with the agent', async () => {
    const { perform, agent, task } = await openCore()
    const worker = await agent('a')
    await perform(deregisterAgent, { agentId: 'a' }, worker)
    expect((await refusal(task({}, worker))).message).toBe('Agent a has ended, so its calls are rejected.')
    expect(await refused(perform(heartbeat, { agentId: 'a' }, worker))).toBe('not_allowed')
  })

  it('belongs to a known agent', async () => {
    const { task } = await openCore()
    expect(await refused(task({}, agentActor('nobody')))).toBe('not_allowed')
  })
})

describe('the event log', () => {
  it('has one row per write, with the actor, the instant and the subject', async () => {
    const { perform, agent, task, pass, now } = await openCore()
    const worker = await agent('a')
    const { id: taskId } = await task()
    pass(5000)
    await perform(claimTask, { taskId, agentId: 'a' }, worker)
    const events = await perform(listEvents, {})
    expect(events.map((event) => [event.operation, event.actor, event.taskId, event.agentId])).toEqual([
      ['sync_personas', 'aiswarm', null, null],
      ['register_agent', 'human', null, 'a'],
      ['create_task', 'human', taskId, null],
      ['claim_task', 'a', taskId, 'a'],
    ])
    expect(events.at(-1)).toMatchObject({ at: now(), details: { attempt: 1 } })
  })

  it('has no row for heartbeats, reads and refusals', async () => {
    const { perform, agent, events } = await openCore()
    const worker = await agent('a')
    const before = await events()
    await perform(heartbeat, { agentId: 'a' }, worker)
    await perform(takeLease, { name: 'supervisor', holder: 'h', pid: 1, ttl: 60_000 }, system())
    await perform(renew, { agentIds: ['a'] }, system({ holder: 'h', term: 1 }))
    await perform(listTasks, {})
    await refused(perform(claimTask, { taskId: 99, agentId: 'a' }))
    expect(await events()).toEqual(before)
  })

  it("has no row for a loop's turn that found nothing to do", async () => {
    const { perform, events } = await openCore()
    await perform(sweep, {}, system())
    expect(await events()).toEqual([])
  })

  it('can be read from any event on', async () => {
    const { perform, task } = await openCore()
    for (let i = 0; i < 3; i++) await task()
    const [first, second] = await perform(listEvents, { afterId: 1, limit: 2 })
    expect([first!.id, second!.id]).toEqual([2, 3])
    expect((await perform(listEvents, { limit: 1 })).map((event) => event.id)).toEqual([4])
  })
})

test('a refusal in the middle rolls back earlier writes', async () => {
  const { perform, task, agent, show } = await openCore()
  const worker = await agent('a')
  const { id: taskId } = await task()
  await perform(claimTask, { taskId, agentId: 'a' }, worker)
  const before = await show(taskId)
  await refused(perform(reportTaskProgress, { taskId, agentId: 'a', progressNote: 'x', percentComplete: 101 }, worker))
  expect(await show(taskId)).toEqual(before)
})

describe('a command from a surface', () => {
  const outside = (carryOut: (wish: Wish) => Promise<void>): Connection['outside'] =>
    ({ carryOut }) as Connection['outside']
  const human: Actor = { kind: 'person', id: 'human' }

  it('carries out its wish and returns the new state', async () => {
    const { core, task, perform: run } = await openCore()
    const { id: taskId } = await task()
    const { id: agentId } = await run(spawnAgent, { personaId: 'implementer', taskId })
    const wishes: Wish[] = []
    const answer = await act(
      {
        core,
        actor: human,
        outside: outside(async (wish) => {
          wishes.push(wish)
          await perform(core, reportTaskProgress, { taskId, progressNote: 'x' }, human).catch(() => {})
        }),
      },
      cancelTask,
      { taskId },
    )
    expect(wishes).toEqual([{ kind: 'stop_agent', agentId }])
    expect(answer.status).toBe('cancelled')
  })

  it('keeps the row if the world outside fails, for the next attempt', async () => {
    const { core, task, perform: run, show } = await openCore()
    const { id: taskId } = await task()
    await run(spawnAgent, { personaId: 'implementer', taskId })
    await expect(
      act({ core, actor: human, outside: outside(() => Promise.reject(new Error('no power'))) }, cancelTask, {
        taskId,
      }),
    ).rejects.toThrow('no power')
    expect((await show(taskId)).status).toBe('cancelled')
  })

  it.each(['the outside work', 'the read after it'])(
    'says that its change is on the board, and is not to be repeated, if the board goes away in %s',
    async (where) => {
      const { core, task, perform: run, show } = await openCore()
      const { id: taskId } = await task()
      await run(spawnAgent, { personaId: 'implementer', taskId })
      const gone = new Refusal('store_unreachable', 'The server is away. Nothing was written; try again.')
      let away = false
      const store = {
        ...core.store,
        version: () => core.store.version(),
        get read() {
          if (away) throw gone
          return core.store.read
        },
      } as typeof core.store
      const carryOut = (): Promise<void> => {
        if (where === 'the outside work') return Promise.reject(gone)
        away = true
        return Promise.resolve()
      }
      const refused = await refusal(
        act({ core: { ...core, store }, actor: human, outside: outside(carryOut) }, cancelTask, { taskId }),
      )
      expect(refused).toMatchObject({ code: 'store_unreachable', retryable: false, cause: gone })
      expect(refused.message).toMatch(/^This is recorded on the board/)
      expect((await show(taskId)).status).toBe('cancelled')
    },
  )
})
