import { describe, expect, it } from 'vitest'
import { changeStatus, selectTask } from '../../src/db/tasks.ts'
import { type Actor, system } from '../../src/domain/actor.ts'
import { cancelTask } from '../../src/operations/cancel-task.ts'
import { claimTask } from '../../src/operations/claim-task.ts'
import { completeTask } from '../../src/operations/complete-task.ts'
import { dispatch } from '../../src/operations/dispatch.ts'
import { heartbeat } from '../../src/operations/heartbeat.ts'
import { hashToken } from '../../src/operations/kernel/token.ts'
import { recordLaunch } from '../../src/operations/record-launch.ts'
import { settleRun } from '../../src/operations/settle-run.ts'
import { startTask } from '../../src/operations/start-task.ts'
import { openCore, refusal } from '../support/core.ts'

// The second lines of defence: every operation reads the row first, in the transaction that changes it, so these are seen alone.

describe('changing the state of a task', () => {
  /** Task 1 is claimed by a, in attempt 1. */
  const claimed = async () => {
    const world = await openCore()
    await world.task()
    const a = await world.agent('a')
    await world.perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    const change = (expected: Parameters<typeof changeStatus>[2]) => world.store.write((db) => changeStatus(db, 1, expected, { status: 'in_progress', started_at: world.now() }))
    return { ...world, change, status: async () => (await selectTask(world.store.read, 1))!.status }
  }

  it('changes what is as it was expected, once', async () => {
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
  ] as const)('changes nothing, and says so, where it expects %s', async (_, expected) => {
    const { change, status } = await claimed()
    expect(await change(expected)).toBe(false)
    expect(await status()).toBe('claimed')
  })

  it('that changes no row is the refusal lease_lost, whatever was read before', async () => {
    const { store, perform, status } = await claimed()
    // Another dialect may let the row change between reading and writing; a trigger stands for it.
    store.connection.exec(`CREATE TRIGGER meanwhile BEFORE UPDATE OF status ON task_status WHEN NEW.status <> OLD.status BEGIN SELECT RAISE(IGNORE); END`)
    const work = [() => perform(startTask, { taskId: 1, agentId: 'a' }), () => perform(completeTask, { taskId: 1, agentId: 'a' }), () => perform(cancelTask, { taskId: 1 })]
    for (const one of work) expect((await refusal(one())).code).toBe('lease_lost')
    expect(await status()).toBe('claimed')
  })
})

describe('the token of a run', () => {
  /** The agent that was started for task 1, as its MCP server speaks for it. */
  const launched = async () => {
    const world = await openCore()
    await world.task()
    const { agentId } = (await world.perform(dispatch, { maxParallel: 1 }, system())).started[0]!
    await world.perform(recordLaunch, { agentId, run: 1, pid: 4242, startedAt: '99', bootId: 'boot', startsTask: true }, system())
    const tokenHash = hashToken(world.core.launchToken(agentId, 1))
    const actor: Actor = { kind: 'agent', id: agentId, role: 'worker', worktree: null, tokenHash }
    return { ...world, agentId, actor }
  }

  it('opens every operation while its attempt lasts', async () => {
    const { perform, actor } = await launched()
    expect((await perform(heartbeat, {}, actor)).id).toBe(actor.id)
  })

  it('of another run opens none', async () => {
    const { perform, actor, agentId } = await launched()
    const { code, message } = await refusal(perform(heartbeat, {}, { ...actor, tokenHash: hashToken('of another run') }))
    expect(`${code} ${message}`).toBe(`not_allowed The run of ${agentId} is over, and its token with it; end your turn now.`)
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
