import { describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { later } from '../../../src/domain/words/time.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { claimTask } from '../../../src/operations/tasks/claims.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { getAgent } from '../../../src/operations/agents/list.ts'
import { pauseScheduling } from '../../../src/operations/sessions/sessions.ts'
import { readRemainingWork } from '../../../src/operations/sessions/results.ts'
import { readWishes } from '../../../src/operations/supervision/wishes.ts'
import { recordLaunch, recordLaunchFailure } from '../../../src/operations/runs/processes.ts'
import { settleRun } from '../../../src/operations/runs/ends.ts'
import { spawnAgent, terminateAgent } from '../../../src/operations/agents/spawn.ts'
import { sweep } from '../../../src/operations/supervision/sweep.ts'
import { minute, openCore, second, type World } from '../../support/core.ts'
import { byHand } from '../../support/store.ts'

const send = ({ perform }: Pick<World, 'perform'>, maxParallel = 9) => perform(dispatch, { maxParallel }, system())
const launched = ({ perform }: Pick<World, 'perform'>, agentId: string, run = 1, startsTask = false) =>
  perform(recordLaunch, { agentId, run, pid: 4242, startedAt: '99', bootId: 'boot', startsTask }, system())
type Verdict = Parameters<typeof settleRun.run>[1]['verdict']
const settled = ({ perform }: Pick<World, 'perform'>, agentId: string, verdict: Verdict, run = 1) =>
  perform(settleRun, { agentId, run, exitCode: verdict.kind === 'completed' ? 0 : 1, verdict }, system())
const done: Verdict = { kind: 'completed', resultData: { exitCode: 0 } }

/** A spawned agent whose run 1 works on task 1. */
const running = async ({ board = false } = {}) => {
  const world = await openCore()
  await world.task()
  if (board) await world.perform(spawnAgent, { personaId: 'implementer' })
  const agentId = (await send(world)).started[0]!.agentId
  await launched(world, agentId)
  return { ...world, agentId }
}

describe('a dispatch', () => {
  it('starts the most important tasks, up to the limit', async () => {
    const world = await openCore()
    for (const priority of [1, 9, 5, 9]) await world.task({ priority })
    const { started, held } = await send(world, 2)
    expect(started).toEqual([
      { taskId: 2, agentId: 'implementer-1' },
      { taskId: 4, agentId: 'implementer-2' },
    ])
    expect(held.map((one) => one.taskId)).toEqual([3, 1])
    expect((await send(world, 2)).started).toEqual([])
    expect((await send(world, 3)).started).toEqual([{ taskId: 3, agentId: 'implementer-3' }])
  })

  it('skips blocked tasks and tasks that wait for their retry', async () => {
    const world = await openCore()
    await world.task()
    await world.task({ dependencies: [1] })
    const { started } = await send(world)
    expect(started.map((one) => one.taskId)).toEqual([1])
    await launched(world, 'implementer-1')
    await settled(world, 'implementer-1', { kind: 'failed', error: 'no' })
    expect((await send(world)).started).toEqual([])
    world.pass(30 * second)
    expect((await send(world)).started).toEqual([{ taskId: 1, agentId: 'implementer-2' }])
  })

  it('starts nothing while paused, and continues when resumed', async () => {
    const world = await openCore()
    await world.task()
    await world.perform(beginSession, {})
    await world.perform(pauseScheduling, { paused: true })
    expect(await send(world)).toEqual({ next: null, started: [], held: [], retired: [] })
    await world.perform(pauseScheduling, { paused: false })
    expect((await send(world)).started).toHaveLength(1)
  })

  it('runs one command at a time in a worktree', async () => {
    const world = await openCore()
    await world.worktree('w')
    await world.worktree('v')
    for (const targetWorktree of ['w', 'w', 'v']) await world.task({ command: 'true', targetWorktree })
    expect((await send(world)).started.map((one) => one.taskId)).toEqual([1, 3])
    await launched(world, 'implementer-1')
    await settled(world, 'implementer-1', done)
    expect((await send(world)).started.map((one) => one.taskId)).toEqual([2])
  })

  it('leaves the command of an agent to a person', async () => {
    const world = await openCore()
    await world.task({ command: 'true' }, await world.agent('a'))
    expect((await send(world)).held).toEqual([
      { taskId: 1, why: 'its command comes from agent a and needs a person to start it' },
    ])
  })

  it('gives tasks to an agent that works on the board, and ends it when none is left', async () => {
    const world = await running({ board: true })
    await world.task()
    await settled(world, world.agentId, done)
    expect((await send(world)).started).toEqual([{ taskId: 2, agentId: world.agentId }])
    await launched(world, world.agentId, 2)
    await settled(world, world.agentId, done, 2)
    expect(await send(world)).toEqual({ next: null, started: [], held: [], retired: [world.agentId] })
    expect(await world.perform(getAgent, { agentId: world.agentId })).toMatchObject({
      status: 'terminated',
      run: 2,
      stopReason: 'no tasks left',
    })
  })

  it('uses the kind that a task requests in its metadata', async () => {
    const world = await openCore()
    await world.task({ metadata: { cli: 'codex' } })
    await send(world)
    expect((await world.perform(getAgent, { agentId: 'implementer-1' })).kind).toBe('codex')
  })
})

describe('a launch', () => {
  it('records the process of the run once, and starts the task if the kind does not report itself', async () => {
    const world = await openCore()
    await world.task()
    await send(world)
    expect(await launched(world, 'implementer-1', 2)).toMatchObject({ recorded: false })
    expect(await launched(world, 'implementer-1', 1, true)).toEqual({ recorded: true, taskId: 1, starts: true })
    expect(await launched(world, 'implementer-1', 1, true)).toMatchObject({ recorded: false })
    expect((await world.show(1)).status).toBe('in_progress')
    expect((await world.perform(readWishes, {}, system())).runs).toMatchObject([
      {
        agentId: 'implementer-1',
        run: 1,
        process: 'started',
        identity: { pid: 4242, startedAt: '99', bootId: 'boot' },
      },
    ])
  })

  it('that fails uses no retry, ends the agent and delays the task by 30 s', async () => {
    const world = await openCore()
    await world.task()
    await send(world)
    const fail = () =>
      world.perform(recordLaunchFailure, { agentId: 'implementer-1', run: 1, error: 'no such program' }, system())
    expect(await fail()).toEqual({ recorded: true, waiting: [{ taskId: 1, until: later(world.now(), 30 * second) }] })
    expect(await fail()).toEqual({ recorded: false, waiting: [] })
    expect(await world.show(1)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      notBefore: later(world.now(), 30 * second),
      attempts: [{ outcome: 'not_started' }],
    })
    expect(await world.perform(getAgent, { agentId: 'implementer-1' })).toMatchObject({
      status: 'terminated',
      process: 'ended',
      launchError: 'no such program',
    })
  })

  it('of a running process cannot be recorded as failed', async () => {
    const world = await running()
    expect(
      await world.perform(recordLaunchFailure, { agentId: world.agentId, run: 1, error: 'late' }, system()),
    ).toEqual({ recorded: false, waiting: [] })
    expect((await world.show(1)).status).toBe('claimed')
  })
})

describe('the end of a run', () => {
  it('completes its task', async () => {
    const world = await running()
    expect(await settled(world, world.agentId, done)).toEqual({
      settled: true,
      taskId: 1,
      decided: true,
      goesOn: false,
      ended: [{ taskId: 1, attempt: 1, status: 'completed' }],
      waiting: [],
    })
    expect(await world.show(1)).toMatchObject({ status: 'completed', resultData: { exitCode: 0 } })
    expect(await world.perform(getAgent, { agentId: world.agentId })).toMatchObject({
      status: 'terminated',
      process: 'ended',
      exitCode: 0,
    })
  })

  it('fails its task, which will be retried', async () => {
    const world = await running()
    await settled(world, world.agentId, { kind: 'failed', error: 'exit code 1' })
    expect(await world.show(1)).toMatchObject({ status: 'pending', retryCount: 1, errorMessage: 'exit code 1' })
  })

  it('without a trace releases its task at once and uses no retry', async () => {
    const world = await running()
    await settled(world, world.agentId, { kind: 'lost', why: 'The process vanished.' })
    expect(await world.show(1)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      notBefore: null,
      attempts: [{ outcome: 'lost' }],
    })
  })

  it('after a stop releases the task, unless it was completed just in time', async () => {
    const stopped = await running()
    await stopped.perform(terminateAgent, { agentId: stopped.agentId })
    await settled(stopped, stopped.agentId, { kind: 'failed', error: 'killed' })
    expect(await stopped.show(1)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      attempts: [{ outcome: 'terminated' }],
    })
    const inTime = await running()
    await inTime.perform(terminateAgent, { agentId: inTime.agentId })
    await settled(inTime, inTime.agentId, done)
    expect((await inTime.show(1)).status).toBe('completed')
  })

  it('is recorded once, however often it is reported', async () => {
    const world = await running({ board: true })
    await world.task()
    await settled(world, world.agentId, done)
    await send(world)
    await launched(world, world.agentId, 2)
    const before = [await world.show(2), await world.events()]
    expect(await settled(world, world.agentId, { kind: 'failed', error: 'stale' })).toMatchObject({ settled: false })
    expect([await world.show(2), await world.events()]).toEqual(before)
  })

  it('does not complete another task that the agent claimed', async () => {
    const world = await running()
    await world.task()
    await world.perform(claimTask, { taskId: 2, agentId: world.agentId })
    await settled(world, world.agentId, done)
    expect((await world.show(1)).status).toBe('completed')
    expect(await world.show(2)).toMatchObject({
      status: 'pending',
      retryCount: 1,
      errorMessage: `no-artifact: ${world.agentId} ended without completing the task`,
    })
  })

  it('does not change a task that the agent no longer holds', async () => {
    const world = await running()
    await byHand(
      world.store,
      "UPDATE task_status SET status = 'pending', assigned_agent_id = NULL, lease_expires_at = NULL",
    )
    await settled(world, world.agentId, done)
    expect((await world.show(1)).status).toBe('pending')
  })
})

describe('the sweep', () => {
  it('leaves the tasks of a started process to the reaper, however long the process is silent', async () => {
    const world = await running()
    world.pass(10 * minute)
    expect(await world.perform(sweep, {}, system())).toEqual({ offline: [], released: [], expired: [], ended: [] })
  })

  it('releases a task that an agent claimed and forgot between two runs', async () => {
    const world = await running({ board: true })
    await world.task()
    await settled(world, world.agentId, done)
    await world.perform(claimTask, { taskId: 2, agentId: world.agentId })
    world.pass(minute)
    expect(await world.perform(sweep, {}, system())).toEqual({ offline: [], released: [2], expired: [], ended: [] })
  })
})

describe('the board', () => {
  it('is busy while a process runs or a task will become due', async () => {
    const world = await running()
    const moving = async () => (await world.perform(readRemainingWork, {}, system())).moving
    expect(await moving()).toBe(true)
    await settled(world, world.agentId, { kind: 'failed', error: 'no' })
    expect(await moving()).toBe(true)
    await world.perform(claimTask, {
      taskId: 1,
      agentId: (await world.perform(spawnAgent, { personaId: 'implementer' })).id,
    })
    expect(await moving()).toBe(true)
  })

  it('is idle when only tasks that cannot start are left', async () => {
    const world = await openCore()
    await world.task()
    await world.task({ dependencies: [1] })
    await send(world)
    await world.perform(recordLaunchFailure, { agentId: 'implementer-1', run: 1, error: 'no such program' }, system())
    expect(await world.perform(readRemainingWork, {}, system())).toEqual({
      stuck: [],
      moving: false,
      completed: 0,
      cancelled: 0,
      failed: [],
      waiting: [
        { taskId: 1, why: 'no such program' },
        { taskId: 2, why: 'blocked by 1' },
      ],
    })
  })
})
