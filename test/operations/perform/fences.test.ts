import { describe, expect, it } from 'vitest'
import { changeStatus, selectTask } from '../../../src/db/tasks.ts'
import { type Actor, system } from '../../../src/domain/agent/actor.ts'
import { heartbeat } from '../../../src/operations/agents/heartbeat.ts'
import { hashToken } from '../../../src/operations/perform/token.ts'
import { settleRun } from '../../../src/operations/runs/ends.ts'
import { recordLaunch, takeRun } from '../../../src/operations/runs/processes.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask, completeTask, startTask } from '../../../src/operations/tasks/claims.ts'
import { getTask } from '../../../src/operations/tasks/detail.ts'
import { openCore, refusal } from '../../support/core.ts'
import { loseUpdates } from '../../support/store.ts'

// The second line of defence: every operation reads the row first, in the transaction that changes it, so these are
// tested alone.

describe("a change of a task's state", () => {
  /** Task 1 is claimed by a, in attempt 1. */
  const claimed = async () => {
    const world = await openCore()
    await world.task()
    const a = await world.agent('a')
    await world.perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    const change = (expected: Parameters<typeof changeStatus>[2]) =>
      world.store.write((db) => changeStatus(db, 1, expected, { status: 'in_progress', started_at: world.now() }))
    return { ...world, change, status: async () => (await selectTask(world.store.read, 1))!.status }
  }

  it('changes the expected state once', async () => {
    const { change, status } = await claimed()
    expect(await change({ status: 'claimed', attempt: 1, agentId: 'a' })).toBe(true)
    expect(await status()).toBe('in_progress')
    expect(await change({ status: 'claimed', attempt: 1, agentId: 'a' })).toBe(false)
  })

  it.each([
    ['another attempt', { status: 'claimed', attempt: 2, agentId: 'a' }],
    ['an earlier attempt', { status: 'claimed', attempt: 0, agentId: 'a' }],
    ['another agent', { status: 'claimed', attempt: 1, agentId: 'b' }],
    ['another state', { status: 'pending', attempt: 1 }],
  ] as const)('changes nothing, and says so, if it expects %s', async (_, expected) => {
    const { change, status } = await claimed()
    expect(await change(expected)).toBe(false)
    expect(await status()).toBe('claimed')
  })

  it('that changes no row is refused with lease_lost, whatever was read before', async () => {
    const { store, perform, status } = await claimed()
    // Another database may let the row change between the read and the write; a trigger simulates that.
    await loseUpdates(store, 'task_status', 'WHEN (NEW.status <> OLD.status)')
    const work = [
      () => perform(startTask, { taskId: 1, agentId: 'a' }),
      () => perform(completeTask, { taskId: 1, agentId: 'a' }),
      () => perform(cancelTask, { taskId: 1 }),
    ]
    for (const one of work) expect((await refusal(one())).code).toBe('lease_lost')
    expect(await status()).toBe('claimed')
  })

  it('that finds a pending task claimed meanwhile is refused, and leaves no attempt', async () => {
    const { store, perform, task } = await claimed()
    const { id: taskId } = await task()
    await loseUpdates(store, 'task_status', 'WHEN (NEW.status <> OLD.status)')
    expect((await refusal(perform(claimTask, { taskId, agentId: 'a' }))).code).toBe('already_claimed')
    expect(await perform(getTask, { taskId })).toMatchObject({ status: 'pending', attempt: 0, attempts: [] })
  })
})

describe('the token of a run', () => {
  /** The agent that was started for task 1, as its MCP server represents it. */
  const launched = async () => {
    const world = await openCore()
    await world.task()
    const { agentId } = (await world.perform(dispatch, { maxParallel: 1 }, system())).started[0]!
    await world.perform(takeRun, { agentId, run: 1 }, system())
    await world.perform(
      recordLaunch,
      { agentId, run: 1, pid: 4242, startedAt: '99', bootId: 'boot', startsTask: true },
      system(),
    )
    const tokenHash = hashToken(world.core.launchToken(agentId, 1))
    const actor: Actor = { kind: 'agent', id: agentId, role: 'worker', worktree: null, tokenHash }
    return { ...world, agentId, actor }
  }

  it('permits every operation during its attempt', async () => {
    const { perform, actor } = await launched()
    expect((await perform(heartbeat, {}, actor)).id).toBe(actor.id)
  })

  it('of another run permits none', async () => {
    const { perform, actor, agentId } = await launched()
    const { code, message } = await refusal(
      perform(heartbeat, {}, { ...actor, tokenHash: hashToken('of another run') }),
    )
    expect(`${code} ${message}`).toBe(
      `not_allowed The run of ${agentId} has ended, so its token is not valid any more. End your turn now.`,
    )
  })

  it('ends with the attempt, in the same transaction', async () => {
    const { perform, actor } = await launched()
    await perform(completeTask, { taskId: 1 }, actor)
    expect((await refusal(perform(heartbeat, {}, actor))).code).toBe('not_allowed')
  })

  it('ends with the task that a person cancels', async () => {
    const { perform, actor } = await launched()
    await perform(cancelTask, { taskId: 1 })
    expect((await refusal(perform(heartbeat, {}, actor))).code).toBe('not_allowed')
  })

  it('ends with the run', async () => {
    const { perform, actor, agentId } = await launched()
    await perform(settleRun, { agentId, run: 1, exitCode: 1, verdict: { kind: 'failed', error: 'no' } }, system())
    expect((await refusal(perform(heartbeat, {}, actor))).code).toBe('not_allowed')
  })
})
