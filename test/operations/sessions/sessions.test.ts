import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sessionId } from '../../../src/domain/words/time.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask, completeTask, failTask } from '../../../src/operations/tasks/claims.ts'
import { endSession } from '../../../src/operations/sessions/end.ts'
import { getSession, pauseScheduling } from '../../../src/operations/sessions/sessions.ts'
import { openCore, refusal, refused, second, start, type World } from '../../support/core.ts'

const finish = async (
  { perform, agent }: Pick<World, 'perform' | 'agent'>,
  taskId: number,
  how: 'completed' | 'failed',
) => {
  const a = await agent(`a-${taskId}`)
  await perform(claimTask, { taskId, agentId: `a-${taskId}` }, a)
  await (how === 'completed'
    ? perform(completeTask, { taskId }, a)
    : perform(failTask, { taskId, errorMessage: 'red' }, a))
}

describe('a session', () => {
  it('starts with a goal, and a second start continues it', async () => {
    const { perform, events } = await openCore()
    const begun = await perform(beginSession, { goal: 'ship' })
    expect(begun).toMatchObject({ id: sessionId(start), goal: 'ship', status: 'running', begun: true, endedAt: null })
    expect(await perform(beginSession, { goal: 'other' })).toEqual({ ...begun, begun: false })
    expect(await events()).toEqual(['begin_session'])
  })

  it('that starts in the same second as the last has the next id', async () => {
    const { perform } = await openCore()
    await perform(beginSession, {})
    await perform(endSession, { status: 'aborted' })
    expect((await perform(beginSession, {})).id).toBe(sessionId(new Date(Date.parse(start) + 1000).toISOString()))
  })

  it('is started and ended only by people', async () => {
    const { perform, agent } = await openCore()
    const planner = await agent('p', { personaId: 'planner' })
    for (const work of [
      () => perform(beginSession, {}, planner),
      () => perform(endSession, {}, planner),
      () => perform(pauseScheduling, { paused: true }, planner),
    ])
      expect(await refused(work())).toBe('not_allowed')
  })

  it('is recorded in the tasks that are created during it', async () => {
    const { perform, task } = await openCore()
    expect((await task()).sessionId).toBeNull()
    const { id } = await perform(beginSession, {})
    expect((await task()).sessionId).toBe(id)
  })

  it('must be running to be paused, ended or shown', async () => {
    const { perform } = await openCore()
    for (const work of [
      () => perform(endSession, {}),
      () => perform(pauseScheduling, { paused: true }),
      () => perform(getSession, {}),
    ])
      expect(await refused(work())).toBe('not_found')
  })

  it('keeps the instant of its first pause', async () => {
    const { perform, pass } = await openCore()
    await perform(beginSession, {})
    expect((await perform(pauseScheduling, { paused: true })).pausedAt).toBe(start)
    pass(second)
    expect((await perform(pauseScheduling, { paused: true })).pausedAt).toBe(start)
    expect((await perform(pauseScheduling, { paused: false })).pausedAt).toBeNull()
  })
})

describe('the end of a session', () => {
  it('collects the issues that results report, and the files that they created', async () => {
    const world = await openCore()
    await world.perform(beginSession, {})
    await world.task()
    const a = await world.agent('a')
    await world.perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    for (const path of ['new.ts', 'old.ts', 'said-nothing.ts']) writeFileSync(join(world.root, path), '')
    const files = [
      { path: 'new.ts', change: 'NEW', note: null },
      { path: 'old.ts', change: 'MODIFIED', note: null },
    ]
    await world.perform(
      completeTask,
      {
        taskId: 1,
        artifacts: ['new.ts', 'old.ts', 'said-nothing.ts'],
        resultData: { files, issues: ['The port was taken'] },
      },
      a,
    )
    expect(await world.perform(endSession, {})).toMatchObject({
      summary: { filesCreated: ['new.ts', 'said-nothing.ts'], issues: ['task 1: The port was taken'] },
    })
  })

  it('is completed if every task is, with a summary', async () => {
    const world = await openCore()
    await world.perform(beginSession, {})
    await world.task()
    await finish(world, 1, 'completed')
    expect(await world.perform(endSession, {})).toMatchObject({
      status: 'completed',
      endedAt: start,
      summary: { totalTasks: 1, completed: 1, failed: 0, cancelled: 0, unfinished: 0, issues: [] },
    })
    expect(await world.perform(getSession, {})).toMatchObject({ status: 'completed', tasks: { completed: 1 } })
  })

  it('is failed if a task has failed, and names the task', async () => {
    const world = await openCore({ session: { maxRetries: 0 } })
    await world.perform(beginSession, {})
    await world.task()
    await finish(world, 1, 'failed')
    expect(await world.perform(endSession, {})).toMatchObject({
      status: 'failed',
      summary: { failed: 1, issues: ['task 1: red'] },
    })
  })

  it('is aborted if tasks are unfinished, unless a person decides otherwise', async () => {
    const world = await openCore()
    await world.perform(beginSession, {})
    await world.task()
    expect((await world.perform(endSession, {})).status).toBe('aborted')
    await world.perform(beginSession, {})
    await world.perform(pauseScheduling, { paused: true })
    expect(await world.perform(endSession, { status: 'completed' })).toMatchObject({
      status: 'completed',
      pausedAt: null,
    })
  })

  it('is not completed if a failed task blocks another', async () => {
    const world = await openCore({ session: { maxRetries: 0 } })
    await world.perform(beginSession, {})
    await world.task()
    await world.task({ dependencies: [1] })
    await finish(world, 1, 'failed')
    const { code, message } = await refusal(world.perform(endSession, { status: 'completed' }))
    expect([code, message]).toEqual([
      'blocked',
      'Task 2 is blocked by a task that failed or was cancelled, so the session is not completed. End it as failed or aborted.',
    ])
    await world.perform(cancelTask, { taskId: 1 })
    expect(await refused(world.perform(endSession, { status: 'completed' }))).toBe('blocked')
    expect((await world.perform(endSession, { status: 'failed' })).status).toBe('failed')
  })
})
