import { describe, expect, it } from 'vitest'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { handBack } from '../../../src/operations/agents/hand-back.ts'
import { deregisterAgent } from '../../../src/operations/agents/heartbeat.ts'
import { getAgent } from '../../../src/operations/agents/list.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { takeOver } from '../../../src/operations/agents/take-over.ts'
import { readForAttempt } from '../../../src/operations/messages/messages.ts'
import { recordStop, settleRun } from '../../../src/operations/runs/ends.ts'
import { recordLaunch } from '../../../src/operations/runs/processes.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { sweep } from '../../../src/operations/supervision/sweep.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { getTask } from '../../../src/operations/tasks/detail.ts'
import { openCore, refusal, second } from '../../support/core.ts'

/** An agent whose process works on task 1. */
const working = async () => {
  const world = await openCore()
  await world.task()
  const { id } = await world.perform(spawnAgent, { personaId: 'implementer', taskId: 1, kind: 'claude' })
  await world.perform(
    recordLaunch,
    { agentId: id, run: 1, pid: 42, startedAt: '9', bootId: 'boot', startsTask: false },
    system(),
  )
  const stopped = () => world.perform(recordStop, { agentId: id, run: 1, exitCode: 143 }, system())
  const task = () => world.perform(getTask, { taskId: 1 })
  return { ...world, id, stopped, task, send: () => world.perform(dispatch, { maxParallel: 9 }, system()) }
}

/** A person has taken over, and the process is gone. */
const taken = async () => {
  const world = await working()
  const { holderId } = await world.perform(takeOver, { agentId: world.id })
  await world.stopped()
  return { ...world, holderId }
}

describe('a person who takes over', () => {
  it('holds the task from the moment on in which the process is gone, so that no agent starts in between', async () => {
    const world = await working()
    expect(await world.perform(takeOver, { agentId: world.id })).toEqual({
      agentId: 'implementer-1',
      holderId: 'human-1',
      taskId: 1,
      stops: true,
    })
    expect(await world.task()).toMatchObject({ status: 'claimed', assignedAgentId: 'implementer-1' })
    await world.stopped()
    expect(await world.task()).toMatchObject({ status: 'in_progress', assignedAgentId: 'human-1', attempt: 2 })
    expect((await world.send()).started).toEqual([])
  })

  it('holds it also if the process ended by itself at the same moment', async () => {
    const world = await working()
    await world.perform(takeOver, { agentId: world.id })
    const verdict = { kind: 'failed' as const, error: 'no' }
    await world.perform(settleRun, { agentId: world.id, run: 1, exitCode: 1, verdict }, system())
    expect(await world.task()).toMatchObject({ status: 'in_progress', assignedAgentId: 'human-1' })
  })

  it('gets nothing if the take-over was abandoned before the process was gone', async () => {
    const world = await working()
    const { holderId } = await world.perform(takeOver, { agentId: world.id })
    await world.perform(deregisterAgent, { agentId: holderId })
    await world.stopped()
    expect(await world.task()).toMatchObject({ status: 'pending', assignedAgentId: null })
  })

  it('cannot take over what another person has, an idle agent, or a task that is over', async () => {
    const world = await taken()
    expect(await refusal(world.perform(takeOver, { agentId: world.id }))).toMatchObject({ code: 'already_claimed' })
    await world.perform(handBack, { holderId: world.holderId, how: 'done' })
    expect(await refusal(world.perform(takeOver, { agentId: world.id }))).toMatchObject({ code: 'invalid_state' })
    const idle = await world.perform(spawnAgent, { personaId: 'implementer' })
    expect(await refusal(world.perform(takeOver, { agentId: idle.id }))).toMatchObject({ code: 'invalid_state' })
  })

  it('takes over the task of an ended agent at once', async () => {
    const world = await taken()
    await world.perform(handBack, { holderId: world.holderId, how: 'board' })
    expect(await world.perform(takeOver, { agentId: world.id })).toMatchObject({ holderId: 'human-2', stops: false })
    expect(await world.task()).toMatchObject({ status: 'in_progress', assignedAgentId: 'human-2' })
  })

  it('loses the task with the lease, and it is pending again', async () => {
    const world = await taken()
    world.pass(61 * second)
    await world.perform(sweep, {}, system())
    expect(await world.task()).toMatchObject({ status: 'pending' })
    expect(await refusal(world.perform(handBack, { holderId: world.holderId, how: 'done' }))).toMatchObject({
      code: 'lease_lost',
    })
  })
})

describe('a conversation that is handed back', () => {
  it('continues with an agent of the same kind, which gets the word', async () => {
    const world = await taken()
    expect(await world.perform(handBack, { holderId: world.holderId, how: 'agent', text: ' Mind the tax. ' })).toEqual({
      taskId: 1,
      status: 'claimed',
      agentId: 'implementer-2',
      how: 'agent',
    })
    expect(await world.perform(getAgent, { agentId: 'implementer-2' })).toMatchObject({ kind: 'claude', taskId: 1 })
    expect(await world.perform(readForAttempt, { taskId: 1 }, system())).toMatchObject([{ text: 'Mind the tax.' }])
    expect(await world.perform(getAgent, { agentId: world.holderId })).toMatchObject({ status: 'terminated' })
  })

  it.each([
    ['done', 'completed'],
    ['failed', 'pending'],
    ['board', 'pending'],
  ] as const)('leaves a task that is handed back as %s %s', async (how, status) => {
    const world = await taken()
    await world.perform(handBack, { holderId: world.holderId, how, text: 'because' })
    expect(await world.task()).toMatchObject({ status })
    expect(await world.perform(getAgent, { agentId: world.holderId })).toMatchObject({ status: 'terminated' })
  })

  it('needs a reason for a failure, and loses nothing without one', async () => {
    const world = await taken()
    expect(await refusal(world.perform(handBack, { holderId: world.holderId, how: 'failed' }))).toMatchObject({
      code: 'invalid_input',
    })
    expect(await world.task()).toMatchObject({ assignedAgentId: world.holderId })
  })

  it('is refused for a task that was cancelled meanwhile, and is handed back once', async () => {
    const world = await taken()
    await world.perform(cancelTask, { taskId: 1 }, person)
    expect(await refusal(world.perform(handBack, { holderId: world.holderId, how: 'agent' }))).toMatchObject({
      code: 'lease_lost',
    })
  })
})
