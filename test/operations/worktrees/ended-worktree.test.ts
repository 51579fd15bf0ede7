import { describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { approveIntegration } from '../../../src/operations/integration/decisions.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask, failTask } from '../../../src/operations/tasks/claims.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { discardWorktree } from '../../../src/operations/worktrees/discard.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { endSession } from '../../../src/operations/sessions/end.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { recordCandidate } from '../../../src/operations/integration/merge.ts'
import { recordVerification } from '../../../src/operations/integration/verification.ts'
import { recordWorktree } from '../../../src/operations/worktrees/building.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { minute, openCore, refusal, refused } from '../../support/core.ts'
import { selectWorktree } from '../../../src/db/worktrees.ts'
import { viewWorktrees } from '../../../src/operations/views/worktrees.ts'
import { byHand } from '../../support/store.ts'

const oids = { targetOid: 'a'.repeat(40), branchOid: 'b'.repeat(40), mergeOid: 'c'.repeat(40) }

const failedOnce = async (world: Awaited<ReturnType<typeof openCore>>, worktree?: string) => {
  const { id } = await world.task(worktree === undefined ? {} : { targetWorktree: worktree })
  await world.agent(`agent-${id}`)
  await world.perform(claimTask, { taskId: id, agentId: `agent-${id}` })
  await world.perform(failTask, { taskId: id, agentId: `agent-${id}`, errorMessage: 'no' })
  return id
}

describe('a worktree that has ended', () => {
  it('refuses the retry of a failed task', async () => {
    const world = await openCore({ session: { maxRetries: 0 } })
    await world.worktree('w')
    const id = await failedOnce(world, 'w')
    await world.perform(discardWorktree, { worktreeName: 'w', reason: 'over' })
    const { code, message } = await refusal(world.perform(retryTask, { taskId: id }))
    expect([code, message]).toEqual([
      'invalid_state',
      `Worktree w is already discarded, so task ${id} cannot be retried. Cancel it, and create another task for the rest.`,
    ])
    const [item] = (await world.perform(readBoard, {})).attention
    expect(item).toMatchObject({
      kind: 'failed',
      taskId: id,
      evidence: expect.stringContaining(
        'worktree w is already discarded, so it cannot be retried; cancel it',
      ) as string,
    })
    await world.perform(cancelTask, { taskId: id })
    expect((await world.perform(readBoard, {})).attention).toEqual([])
  })

  it('refuses the retry of a failed task already when its merge is approved', async () => {
    const world = await openCore({ session: { maxRetries: 0 } })
    await world.worktree('w')
    const id = await failedOnce(world, 'w')
    const { integration } = await world.perform(requestIntegration, { worktreeName: 'w' })
    await world.perform(recordCandidate, { id: integration!.id, candidate: oids, approval: 'auto' }, system())
    const verified = { id: integration!.id, mergeOid: oids.mergeOid, verification: null }
    await world.perform(recordVerification, verified, system())
    expect((await refusal(world.perform(retryTask, { taskId: id }))).message).toBe(
      `Worktree w is being integrated, so task ${id} cannot be retried in it. Create another task for the rest.`,
    )
  })

  it('that could not be built leaves its own task to get another one, also if tasks name it', async () => {
    const world = await openCore({ session: { maxParallel: 8, freeDisk: 0 } })
    await world.task({ title: 'Lamp', metadata: { worktree: 'auto' } })
    const { worktree } = (await world.perform(dispatch, { maxParallel: 8 }, system())).started[0]!
    await world.task({ targetWorktree: worktree! })
    await world.perform(recordWorktree, { name: worktree!, baseOid: null, error: 'no make' }, system())
    expect(await world.show(1)).toMatchObject({ status: 'pending', targetWorktree: null })
    expect(await world.show(2)).toMatchObject({ status: 'cancelled', targetWorktree: worktree })
    world.pass(minute)
    const [started] = (await world.perform(dispatch, { maxParallel: 8 }, system())).started
    expect(started).toMatchObject({ taskId: 1, worktree: `${worktree}-2` })
  })

  it('is approved only if no commit was added after the request', async () => {
    const world = await openCore()
    await world.worktree('w')
    const { integration } = await world.perform(requestIntegration, { worktreeName: 'w' })
    await world.perform(recordCandidate, { id: integration!.id, candidate: oids, approval: 'human' }, system())
    await world.perform(
      recordVerification,
      { id: integration!.id, mergeOid: oids.mergeOid, verification: null },
      system(),
    )
    await world.task({ targetWorktree: 'w' })
    expect(await refused(world.perform(approveIntegration, { worktreeName: 'w', ...oids }))).toBe('unfinished_tasks')
  })

  it('refuses a new task during its integration', async () => {
    const world = await openCore()
    await world.worktree('w')
    const { integration } = await world.perform(requestIntegration, { worktreeName: 'w' })
    await world.perform(recordCandidate, { id: integration!.id, candidate: oids, approval: 'human' }, system())
    await world.perform(
      recordVerification,
      { id: integration!.id, mergeOid: oids.mergeOid, verification: null },
      system(),
    )
    await world.perform(approveIntegration, { worktreeName: 'w', ...oids })
    expect(
      await refused(world.perform(createTask, { title: 'late', personaId: 'implementer', targetWorktree: 'w' })),
    ).toBe('invalid_state')
  })
})

describe('a task that cannot start', () => {
  it('never prevents less important tasks from starting', async () => {
    const world = await openCore({ session: { maxOpenTasks: 1000 } })
    const planner = await world.agent('p', { personaId: 'planner' })
    for (let n = 0; n < 250; n++) await world.task({ priority: 9, command: 'true' }, planner)
    const below = await world.task({ priority: 1, command: 'true' })
    const { started } = await world.perform(dispatch, { maxParallel: 1 }, system())
    expect(started.map((start) => start.taskId)).toEqual([below.id])
  })
})

describe('a session', () => {
  it('does not fail because of a task that failed before it started', async () => {
    const world = await openCore({ session: { maxRetries: 0 } })
    await failedOnce(world)
    world.pass(minute)
    await world.perform(beginSession, {})
    expect((await world.perform(endSession, {})).status).toBe('completed')
  })
})

it('a worktree that is integrated between the reads of its row and of its integration is shown as integrated', async () => {
  const { store, perform, worktree } = await openCore()
  await worktree('w')
  const { id } = (await perform(requestIntegration, { worktreeName: 'w' })).integration!
  const candidate = { targetOid: 'a'.repeat(40), branchOid: 'b'.repeat(40), mergeOid: 'c'.repeat(40) }
  await perform(recordCandidate, { id, candidate, approval: 'human' }, system())
  const row = (await selectWorktree(store.read, 'w'))!
  await byHand(
    store,
    "UPDATE integrations SET status = 'integrated', approved_by = 'human', approved_at = 'x', ended_at = 'x'; UPDATE worktrees SET status = 'integrated', ended_at = 'x', folder = 'gone'",
  )
  const [view] = await viewWorktrees(store.read, [row])
  expect(view).toMatchObject({ status: 'integrated', integration: { status: 'integrated' } })
})
