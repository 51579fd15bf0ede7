import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { approveIntegration, rejectIntegration } from '../../../src/operations/integration/decisions.ts'
import { beginMove, recordCandidate, recordMove } from '../../../src/operations/integration/merge.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask } from '../../../src/operations/tasks/claims.ts'
import { createWorktree } from '../../../src/operations/worktrees/create.ts'
import { discardWorktree } from '../../../src/operations/worktrees/discard.ts'
import { getAgent } from '../../../src/operations/agents/list.ts'
import { getWorktreeStatus } from '../../../src/operations/worktrees/status.ts'
import { recordRemoval } from '../../../src/operations/worktrees/archive.ts'
import { recordVerification } from '../../../src/operations/integration/verification.ts'
import { recordWorktree } from '../../../src/operations/worktrees/building.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { openCore, refusal, refused, start } from '../../support/core.ts'

const oids = { targetOid: '1'.repeat(40), branchOid: '2'.repeat(40), mergeOid: '3'.repeat(40) }
const passed = { id: 1, command: 'npm test', exitCode: 0, log: 'x.log', tail: '', startedAt: 'T', endedAt: 'T' }

describe('a new worktree', () => {
  it('is next to the repository and waits for its creation', async () => {
    const { perform, folder } = await openCore()
    expect(await perform(createWorktree, { name: 'user-auth', branchName: 'feature/user-auth' })).toMatchObject({
      name: 'user-auth',
      branchName: 'feature/user-auth',
      sourceBranch: 'main',
      path: join(folder, 'user-auth'),
      status: 'active',
      folder: 'building',
      createdBy: 'human',
      integration: null,
    })
  })

  it('is refused with an invalid name, an invalid branch, a taken name or a branch in use', async () => {
    const { perform } = await openCore()
    const create = (name: string, branchName: string, sourceBranch?: string) =>
      refused(perform(createWorktree, { name, branchName, ...(sourceBranch === undefined ? {} : { sourceBranch }) }))
    expect(await perform(createWorktree, { name: 'w', branchName: 'b' })).toMatchObject({ warning: null })
    expect(await perform(createWorktree, { name: 'temp', branchName: 'temp' })).toMatchObject({
      warning: expect.stringContaining("'temp' does not describe the work") as string,
    })
    expect(await create('../x', 'c')).toBe('invalid_name')
    expect(await create('HEAD', 'c')).toBe('reserved_name')
    expect(await create('v', '--exec=x')).toBe('invalid_name')
    expect(await create('v', 'c', '-x')).toBe('invalid_name')
    expect(await create('w', 'c')).toBe('already_exists')
    expect(await create('v', 'b')).toBe('already_exists')
  })

  it('is never inside the repository', async () => {
    const { perform } = await openCore({ worktrees: { path: '.worktrees/{name}' } })
    expect(await refused(perform(createWorktree, { name: 'w', branchName: 'b' }))).toBe('config_invalid')
  })

  it('is created only by planners and people', async () => {
    const { perform, agent } = await openCore()
    expect(await refused(perform(createWorktree, { name: 'w', branchName: 'b' }, await agent('a')))).toBe('not_allowed')
    expect(
      (await perform(createWorktree, { name: 'w', branchName: 'b' }, await agent('p', { personaId: 'planner' })))
        .createdBy,
    ).toBe('p')
  })

  it('that could not be created leaves no row', async () => {
    const { perform } = await openCore()
    await perform(createWorktree, { name: 'w', branchName: 'b' })
    expect(await perform(recordWorktree, { name: 'w', baseOid: null, error: 'npm ci failed' }, system())).toMatchObject(
      {
        recorded: true,
      },
    )
    expect(await perform(getWorktreeStatus, {})).toEqual([])
    expect(await perform(recordWorktree, { name: 'w', baseOid: null, error: null }, system())).toMatchObject({
      recorded: false,
    })
  })

  it('that exists is not removed by a late failure', async () => {
    const { perform, worktree } = await openCore()
    await worktree('w')
    expect(await perform(recordWorktree, { name: 'w', baseOid: null, error: 'late' }, system())).toMatchObject({
      recorded: false,
    })
    expect((await perform(getWorktreeStatus, { worktreeName: 'w' }))[0]!.folder).toBe('ready')
  })
})

/** A worktree whose integration is ready for approval. */
const ready = async (change: { approval?: 'human' | 'auto' } = {}) => {
  const world = await openCore()
  await world.worktree('w')
  const { integration } = await world.perform(requestIntegration, { worktreeName: 'w' })
  const id = integration!.id
  await world.perform(recordCandidate, { id, candidate: oids, approval: change.approval ?? 'human' }, system())
  await world.perform(recordVerification, { id, mergeOid: oids.mergeOid, verification: passed }, system())
  const look = async () => (await world.perform(getWorktreeStatus, { worktreeName: 'w' }))[0]!
  return { ...world, id, look }
}

describe('a request for an integration', () => {
  it('is refused while tasks of the worktree are unfinished, and names them', async () => {
    const { perform, worktree, task } = await openCore()
    await worktree('w')
    for (let i = 0; i < 4; i++) await task({ targetWorktree: 'w' })
    const { code, message } = await refusal(perform(requestIntegration, { worktreeName: 'w' }))
    expect([code, message]).toEqual([
      'unfinished_tasks',
      'Worktree w has unfinished tasks (1, 2, 3, …). Complete or cancel them first.',
    ])
    for (let taskId = 1; taskId <= 4; taskId++) await perform(cancelTask, { taskId })
    expect((await perform(requestIntegration, { worktreeName: 'w' })).integration).toMatchObject({
      status: 'requested',
      target: 'main',
    })
  })

  it('is refused into its own branch, before the worktree exists, and for an unknown worktree', async () => {
    const { perform, worktree } = await openCore()
    await worktree('w', 'b')
    expect(await refused(perform(requestIntegration, { worktreeName: 'w', targetBranch: 'b' }))).toBe('invalid_state')
    expect(await refused(perform(requestIntegration, { worktreeName: 'w', targetBranch: '-x' }))).toBe('invalid_name')
    expect(await refused(perform(requestIntegration, { worktreeName: 'v' }))).toBe('not_found')
    await perform(createWorktree, { name: 'v', branchName: 'c' })
    expect(await refused(perform(requestIntegration, { worktreeName: 'v' }))).toBe('invalid_state')
  })

  it('that is repeated starts over, and discards the verification', async () => {
    const { perform, id, look } = await ready()
    await perform(requestIntegration, { worktreeName: 'w' })
    expect((await look()).integration).toMatchObject({
      id,
      status: 'requested',
      targetOid: null,
      branchOid: null,
      mergeOid: null,
      verification: null,
    })
  })

  it('that is repeated is refused after the approval', async () => {
    const { perform } = await ready()
    await perform(approveIntegration, { worktreeName: 'w', ...oids, verificationId: 1 })
    expect(await refused(perform(requestIntegration, { worktreeName: 'w' }))).toBe('invalid_state')
    expect(await refused(perform(rejectIntegration, { worktreeName: 'w', reason: 'x' }))).toBe('invalid_state')
    expect(await refused(perform(discardWorktree, { worktreeName: 'w', reason: 'x' }))).toBe('invalid_state')
  })
})

describe('a prepared integration', () => {
  it('with a conflict cannot be approved', async () => {
    const { perform, worktree } = await openCore()
    await worktree('w')
    const { integration } = await perform(requestIntegration, { worktreeName: 'w' })
    await perform(
      recordCandidate,
      { id: integration!.id, candidate: { conflicts: ['a.txt'] }, approval: 'human' },
      system(),
    )
    expect((await perform(getWorktreeStatus, {}))[0]!.integration).toMatchObject({
      status: 'conflicted',
      conflicts: ['a.txt'],
    })
    expect(await refused(perform(approveIntegration, { worktreeName: 'w', ...oids, verificationId: 1 }))).toBe(
      'conflicted',
    )
  })

  it('with a failed verification cannot be approved', async () => {
    const { perform, worktree } = await openCore()
    await worktree('w')
    const id = (await perform(requestIntegration, { worktreeName: 'w' })).integration!.id
    await perform(recordCandidate, { id, candidate: oids, approval: 'auto' }, system())
    await perform(
      recordVerification,
      { id, mergeOid: oids.mergeOid, verification: { ...passed, exitCode: 1 } },
      system(),
    )
    expect((await perform(getWorktreeStatus, {}))[0]!.integration).toMatchObject({
      status: 'unverified',
      approvedBy: null,
    })
    expect(await refused(perform(approveIntegration, { worktreeName: 'w', ...oids, verificationId: 1 }))).toBe(
      'invalid_state',
    )
  })

  it('ignores a verification of another merge, and a candidate that was not requested', async () => {
    const { perform, id, look } = await ready()
    expect(
      await perform(
        recordVerification,
        { id, mergeOid: '9'.repeat(40), verification: { ...passed, exitCode: 1 } },
        system(),
      ),
    ).toMatchObject({ recorded: false })
    expect(
      await perform(recordCandidate, { id, candidate: { conflicts: ['late'] }, approval: 'human' }, system()),
    ).toMatchObject({ recorded: false })
    expect((await look()).integration!.status).toBe('ready')
  })

  it('is approved by aiswarm only if the target says auto', async () => {
    const { look } = await ready({ approval: 'auto' })
    expect((await look()).integration).toMatchObject({ status: 'approved', approvedBy: 'aiswarm' })
  })
})

describe('an approval', () => {
  it('is given by a person, to exactly the commits that were shown', async () => {
    const { perform, agent, look, now } = await ready()
    expect(
      await refused(
        perform(
          approveIntegration,
          { worktreeName: 'w', ...oids, verificationId: 1 },
          await agent('p', { personaId: 'planner' }),
        ),
      ),
    ).toBe('not_allowed')
    for (const oid of ['targetOid', 'branchOid', 'mergeOid'] as const) {
      expect(
        await refused(
          perform(approveIntegration, { worktreeName: 'w', ...oids, verificationId: 1, [oid]: '9'.repeat(40) }),
        ),
      ).toBe('approval_void')
    }
    expect(await refused(perform(approveIntegration, { worktreeName: 'w', ...oids, verificationId: 2 }))).toBe(
      'approval_void',
    )
    expect((await look()).integration!.status).toBe('ready')
    expect(
      (await perform(approveIntegration, { worktreeName: 'w', ...oids, verificationId: 1 })).integration,
    ).toMatchObject({
      status: 'approved',
      approvedBy: 'human',
      approvedAt: now(),
    })
    expect(await refused(perform(approveIntegration, { worktreeName: 'w', ...oids, verificationId: 1 }))).toBe(
      'invalid_state',
    )
  })

  it('is refused without a request', async () => {
    const { perform, worktree } = await openCore()
    await worktree('w')
    expect(
      (await refusal(perform(approveIntegration, { worktreeName: 'w', ...oids, verificationId: 1 }))).message,
    ).toBe("The integration of w was not requested. 'aiswarm worktree request w' requests it.")
  })
})

describe('a move of the target', () => {
  it('is journalled before it starts, and then ends the worktree and its agents', async () => {
    const { perform, id, look, agent } = await ready()
    await agent('a', { worktree: 'w' })
    await perform(approveIntegration, { worktreeName: 'w', ...oids, verificationId: 1 })
    expect(await perform(beginMove, { id }, system())).toMatchObject({ begun: true })
    expect(await perform(beginMove, { id }, system())).toMatchObject({ begun: true })
    expect(await perform(recordMove, { id, outcome: { kind: 'landed' } }, system())).toMatchObject({ recorded: true })
    expect(await look()).toMatchObject({
      status: 'integrated',
      folder: 'leaving',
      integrationTarget: 'main',
      integration: { status: 'integrated', endedAt: start },
    })
    expect(await perform(getAgent, { agentId: 'a' })).toMatchObject({
      status: 'terminated',
      stopReason: 'worktree w was integrated',
    })
    expect(await perform(recordMove, { id, outcome: { kind: 'held', problem: 'late' } }, system())).toMatchObject({
      recorded: false,
    })
    expect(
      await perform(recordRemoval, { name: 'w', archiveRef: 'refs/aiswarm/archive/w', trashPath: null }, system()),
    ).toEqual({ recorded: true })
    expect(await perform(recordRemoval, { name: 'w', archiveRef: null, trashPath: null }, system())).toMatchObject({
      recorded: false,
    })
    expect(await look()).toMatchObject({ folder: 'gone', archiveRef: 'refs/aiswarm/archive/w' })
  })

  it('cannot end before it starts', async () => {
    const { perform, id, look } = await ready()
    expect(await perform(beginMove, { id }, system())).toMatchObject({ begun: false })
    await perform(approveIntegration, { worktreeName: 'w', ...oids, verificationId: 1 })
    expect(await perform(recordMove, { id, outcome: { kind: 'landed' } }, system())).toMatchObject({ recorded: false })
    expect(await look()).toMatchObject({ status: 'active', integration: { status: 'approved' } })
  })

  it('that the target refuses returns to the person, and a stale one starts over', async () => {
    const { perform, id, look } = await ready()
    await perform(approveIntegration, { worktreeName: 'w', ...oids, verificationId: 1 })
    await perform(recordMove, { id, outcome: { kind: 'held', problem: 'a.txt is changed in main' } }, system())
    expect((await look()).integration).toMatchObject({
      status: 'ready',
      approvedBy: null,
      approval: 'human',
      problem: 'a.txt is changed in main',
    })
    await perform(approveIntegration, { worktreeName: 'w', ...oids, verificationId: 1 })
    await perform(recordMove, { id, outcome: { kind: 'stale', problem: 'main moved' } }, system())
    expect((await look()).integration).toMatchObject({
      status: 'requested',
      mergeOid: null,
      approvedBy: null,
      problem: 'main moved',
    })
  })
})

describe('a rejection', () => {
  it('ends the integration with a reason and keeps the worktree', async () => {
    const { perform, look } = await ready()
    expect(await refused(perform(rejectIntegration, { worktreeName: 'w', reason: '' }))).toBe('invalid_input')
    await perform(rejectIntegration, { worktreeName: 'w', reason: 'not now' })
    expect(await look()).toMatchObject({ status: 'active', integration: { status: 'rejected', problem: 'not now' } })
    expect(await refused(perform(rejectIntegration, { worktreeName: 'w', reason: 'again' }))).toBe('invalid_state')
    expect((await perform(requestIntegration, { worktreeName: 'w' })).integration!.status).toBe('requested')
  })
})

describe('a discard', () => {
  it('cancels the unfinished tasks, stops the agents, rejects the integration and keeps the reason', async () => {
    const { perform, worktree, task, agent, show } = await openCore()
    await worktree('w')
    for (let i = 0; i < 3; i++) await task({ targetWorktree: 'w' })
    await task()
    await perform(claimTask, { taskId: 1, agentId: 'a' }, await agent('a', { worktree: 'w' }))
    const { id } = await perform(spawnAgent, { personaId: 'implementer', taskId: 2, beside: true })
    expect(await perform(discardWorktree, { worktreeName: 'w', reason: ' wrong way ' })).toMatchObject({
      status: 'discarded',
      folder: 'leaving',
      discardReason: 'wrong way',
    })
    for (const taskId of [1, 2, 3])
      expect(await show(taskId)).toMatchObject({
        status: 'cancelled',
        errorMessage: 'worktree w was discarded: wrong way',
        leaseExpiresAt: null,
      })
    expect((await show(4)).status).toBe('pending')
    expect(await perform(getAgent, { agentId: 'a' })).toMatchObject({ status: 'terminated' })
    expect(await perform(getAgent, { agentId: id })).toMatchObject({ process: 'wanted', stopRequestedAt: start })
    expect(await refused(perform(discardWorktree, { worktreeName: 'w', reason: 'x' }))).toBe('invalid_state')
    expect(await refused(task({ targetWorktree: 'w' }))).toBe('invalid_state')
  })

  it('requires a reason, a planner or a person, and an existing worktree', async () => {
    const { perform, worktree, agent } = await openCore()
    await worktree('w')
    expect(await refused(perform(discardWorktree, { worktreeName: 'w', reason: '  ' }))).toBe('invalid_input')
    expect(await refused(perform(discardWorktree, { worktreeName: 'w', reason: 'x' }, await agent('a')))).toBe(
      'not_allowed',
    )
    await perform(createWorktree, { name: 'v', branchName: 'c' })
    expect(await refused(perform(discardWorktree, { worktreeName: 'v', reason: 'x' }))).toBe('invalid_state')
    expect(
      (await perform(discardWorktree, { worktreeName: 'w', reason: 'x' }, await agent('p', { personaId: 'planner' })))
        .status,
    ).toBe('discarded')
  })
})
