import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask } from '../../../src/operations/tasks/claims.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { endSession } from '../../../src/operations/sessions/end.ts'
import { getTaskLogs } from '../../../src/operations/tasks/detail.ts'
import { heartbeatAndGetTasks } from '../../../src/operations/agents/offers.ts'
import { importBoard } from '../../../src/operations/sessions/import.ts'
import { readAgentStanding } from '../../../src/operations/agents/states.ts'
import { recordResult, recordTurns } from '../../../src/operations/tasks/file-reports.ts'
import { runAgents } from '../../../src/operations/sessions/start.ts'
import { openCore, refused, type World } from '../../support/core.ts'
import { byHand } from '../../support/store.ts'

const sessionId = 'session-20260130-142233'

const onBoard = (number: number, change: object = {}) => ({
  number,
  agentId: 'backend',
  cli: 'claude',
  title: `task ${number}`,
  tier: 1,
  dependencies: [],
  description: '',
  acceptanceCriteria: [],
  ...change,
})

const imported = async (...tasks: ReturnType<typeof onBoard>[]) => {
  const world = await openCore()
  return { ...world, session: await world.perform(importBoard, { sessionId, tasks }) }
}

const start = async ({ perform }: Pick<World, 'perform'>, maxParallel = 9) =>
  (await perform(dispatch, { maxParallel }, system())).started

const result = (taskId: number, attempt: number, change: object = {}) => ({
  taskId,
  agentId: 'backend',
  attempt,
  status: 'completed' as const,
  error: 'no',
  resultData: { summary: 'done' },
  artifacts: [],
  criteria: [],
  ...change,
})

describe('an imported board', () => {
  it('keeps its numbers, and the next task gets the one after the highest', async () => {
    const { perform, session } = await imported(onBoard(4), onBoard(2))
    expect(session.tasks.map(({ id }) => id)).toEqual([2, 4])
    const later = await perform(createTask, { title: 'later', personaId: 'implementer' })
    expect(later.id).toBe(5)
  })

  it('starts its session with its tasks, each pending, with its own number', async () => {
    const { session } = await imported(
      onBoard(7, { tier: 2, acceptanceCriteria: ['it works'] }),
      onBoard(3, { agentId: 'tester', dependencies: [7] }),
    )
    expect(session).toMatchObject({ id: sessionId, status: 'running' })
    expect(session.tasks).toMatchObject([
      {
        id: 3,
        personaId: 'tester',
        priority: 100,
        dependencies: [7],
        blockedBy: [7],
        wantedAgentId: 'tester',
        metadata: { tier: 1, board: 'task-3', cli: 'claude' },
      },
      {
        id: 7,
        personaId: 'implementer',
        priority: 90,
        status: 'pending',
        wantedAgentId: 'backend',
        acceptanceCriteria: [{ text: 'it works', met: false }],
      },
    ])
  })

  it('gets new numbers if tasks exist already', async () => {
    const world = await openCore()
    await world.task()
    const { tasks } = await world.perform(importBoard, {
      sessionId,
      tasks: [onBoard(1), onBoard(2, { dependencies: [1] })],
    })
    expect(tasks.map(({ id, dependencies }) => [id, dependencies])).toEqual([
      [2, []],
      [3, [2]],
    ])
  })

  it('is refused a second time, during another session, and with a cycle', async () => {
    const { perform } = await imported(onBoard(1))
    expect(await refused(perform(importBoard, { sessionId, tasks: [onBoard(1)] }))).toBe('already_exists')
    expect(await refused(perform(importBoard, { sessionId: 'session-20260131-000000', tasks: [onBoard(1)] }))).toBe(
      'invalid_state',
    )
    await perform(endSession, { status: 'aborted' })
    const cycle = [onBoard(1, { dependencies: [2] }), onBoard(2, { dependencies: [1] })]
    expect(await refused(perform(importBoard, { sessionId: 'session-20260131-000000', tasks: cycle }))).toBe(
      'dependency_cycle',
    )
  })
})

describe('an agent that tasks name', () => {
  it('runs its tasks one after the other, and returns under its name', async () => {
    const world = await imported(onBoard(1), onBoard(2))
    expect(await start(world)).toEqual([{ taskId: 1, agentId: 'backend' }])
    expect(await start(world)).toEqual([])
    await world.perform(recordResult, result(1, 1), system())
    await byHand(
      world.store,
      `UPDATE agents SET status = 'terminated', process = 'ended', ended_at = '${world.core.clock()}' WHERE id = 'backend'`,
    )
    expect(await start(world)).toEqual([{ taskId: 2, agentId: 'backend' }])
    expect(await byHand(world.store, "SELECT run FROM agents WHERE id = 'backend'")).toEqual([{ run: 2 }])
  })

  it('is the only one that may claim them and is offered them', async () => {
    const world = await imported(onBoard(1))
    const other = await world.agent('other')
    expect((await world.perform(heartbeatAndGetTasks, {}, other)).tasks).toEqual([])
    expect(await refused(world.perform(claimTask, { taskId: 1 }, other))).toBe('not_allowed')
    const backend = await world.agent('backend')
    expect((await world.perform(heartbeatAndGetTasks, {}, backend)).tasks).toMatchObject([{ id: 1 }])
    expect(await start(world)).toEqual([])
    expect(await world.perform(claimTask, { taskId: 1 }, backend)).toMatchObject({ assignedAgentId: 'backend' })
  })

  it('that a person starts has one attempt', async () => {
    const world = await openCore()
    const { tasks } = await world.perform(runAgents, {
      runs: [{ agentId: 'backend', prompt: '\n  Make it work\nplease', folder: '/tmp' }],
    })
    expect(tasks).toMatchObject([
      { title: 'Make it work', description: '\n  Make it work\nplease', wantedAgentId: 'backend', folder: '/tmp' },
    ])
    await start(world)
    await world.perform(recordResult, result(1, 1, { status: 'failed', error: 'it cannot' }), system())
    expect(await world.show(1)).toMatchObject({ status: 'failed', retryCount: 0, errorMessage: 'it cannot' })
    await world.agent('by-itself')
    expect(await refused(world.perform(runAgents, { runs: [{ agentId: 'by-itself', prompt: 'x' }] }))).toBe(
      'already_exists',
    )
    expect(await refused(world.perform(runAgents, { runs: [{ agentId: 'a/b', prompt: 'x' }] }))).toBe('invalid_name')
    expect(await refused(world.perform(runAgents, { runs: [{ agentId: 'c', prompt: 'x', kind: 'nonsense' }] }))).toBe(
      'missing_binary',
    )
  })
})

describe('an imported session file', () => {
  it('becomes log entries, each turn once and in order', async () => {
    const world = await imported(onBoard(1))
    await start(world)
    const turn = (n: number) => ({ hash: String(n), message: `Turn ${n}`, level: 'info' as const })
    const take = (...turns: number[]) =>
      world.perform(recordTurns, { taskId: 1, agentId: 'backend', attempt: 1, turns: turns.map(turn) }, system())
    expect(await take(1, 2)).toEqual({ recorded: 2 })
    expect(await take(1, 2, 3)).toEqual({ recorded: 1 })
    expect((await world.perform(getTaskLogs, { taskId: 1 })).map(({ message }) => message)).toEqual([
      'Turn 1',
      'Turn 2',
      'Turn 3',
    ])
    expect(await world.show(1)).toMatchObject({ status: 'in_progress' })
  })

  it('marks criteria as met by their text, and keeps the unfinished work', async () => {
    const world = await imported(onBoard(1, { acceptanceCriteria: ['one', 'two'] }))
    writeFileSync(join(world.root, 'a.txt'), 'a')
    await start(world)
    const criteria = [
      { text: 'one', met: true },
      { text: 'two', met: false },
    ]
    await world.perform(
      recordResult,
      result(1, 1, {
        criteria,
        artifacts: ['a.txt', 'never.txt'],
        resultData: { acceptanceCriteria: [{ text: 'two', met: false, note: 'NOT DONE' }] },
      }),
      system(),
    )
    expect(await world.show(1)).toMatchObject({
      status: 'completed',
      acceptanceCriteria: criteria,
      artifacts: ['a.txt'],
      resultData: { acceptanceCriteria: [{ note: 'NOT DONE' }] },
    })
  })

  it('is ignored if it is of another attempt, another agent or an ended task', async () => {
    const world = await imported(onBoard(1))
    await start(world)
    for (const wrong of [{ attempt: 2 }, { agentId: 'frontend' }, { taskId: 9 }])
      expect(await world.perform(recordResult, { ...result(1, 1), ...wrong }, system())).toEqual({
        recorded: false,
        task: null,
      })
    await world.perform(cancelTask, { taskId: 1 })
    expect(await world.perform(recordResult, result(1, 1), system())).toEqual({ recorded: false, task: null })
    expect(await world.show(1)).toMatchObject({ status: 'cancelled' })
  })
})

it('an exported agent has the state of its task, and an unknown agent has crashed', async () => {
  const world = await imported(onBoard(1), onBoard(2, { agentId: 'qa', dependencies: [1] }))
  const standing = async () =>
    (await world.perform(readAgentStanding, { sessionId, agentIds: ['backend', 'qa', 'nobody'] })).agents.map(
      (agent) => agent.standing,
    )
  await start(world)
  expect(await standing()).toEqual(['running', 'blocked', 'crashed'])
  await world.perform(recordResult, result(1, 1), system())
  expect((await standing())[0]).toBe('completed')
})
