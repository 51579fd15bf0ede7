import { describe, expect, it } from 'vitest'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { readClaims } from '../../../src/operations/integration/claims.ts'
import { recordCandidate } from '../../../src/operations/integration/merge.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { requestChanges, type ReviewComment } from '../../../src/operations/integration/review.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask, completeTask, reportTaskProgress } from '../../../src/operations/tasks/claims.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { getWorktreeStatus } from '../../../src/operations/worktrees/status.ts'
import { agentActor, openCore, refusal, refused, type World } from '../../support/core.ts'
import { commits } from '../../support/review.ts'

/** A worktree `auth` with a completed task of a tester. */
const withWork = async (): Promise<World> => {
  const world = await openCore()
  await world.worktree('auth')
  await world.agent('test-1', { personaId: 'tester', worktree: 'auth' })
  const { id } = await world.task({
    title: 'Test it',
    personaId: 'tester',
    targetWorktree: 'auth',
    priority: 7,
    contextRef: 'docs/auth.md',
    acceptanceCriteria: ['login works'],
  })
  await world.perform(claimTask, { taskId: id, agentId: 'test-1' })
  await world.perform(reportTaskProgress, { taskId: id, agentId: 'test-1', progressNote: 'half of it' })
  await world.perform(completeTask, {
    taskId: id,
    agentId: 'test-1',
    resultData: { summary: 'All tests pass.', checks: { lint: true } },
    artifacts: ['src/login.ts'],
  })
  return world
}

const ready = async (world: World): Promise<void> => {
  const { integration } = await world.perform(requestIntegration, { worktreeName: 'auth' })
  await world.perform(recordCandidate, { id: integration!.id, candidate: commits, approval: 'human' }, system())
}

const onLine: ReviewComment = {
  path: 'src/login.ts',
  line: 12,
  side: 'new',
  quote: ['-old', '+new ```'],
  text: 'Say why.',
}

describe('the comments on a diff', () => {
  it('become one task for the same worktree, for the last agent there, and the integration is rejected', async () => {
    const world = await withWork()
    await ready(world)
    const { task, worktree } = await world.perform(requestChanges, {
      worktreeName: 'auth',
      comments: [
        onLine,
        { path: 'a\nb', side: 'old', line: 3, text: 'Keep it.' },
        { text: 'Smaller commits, please.' },
      ],
    })
    expect(task).toMatchObject({
      title: 'Review of auth: 3 comments',
      personaId: 'tester',
      targetWorktree: 'auth',
      parentTaskId: 1,
      priority: 7,
      contextRef: 'docs/auth.md',
      status: 'pending',
      createdBy: 'human',
    })
    expect(task.description).toContain('1. src/login.ts:12\n\n````diff\n-old\n+new ```\n````\n\nSay why.')
    expect(task.description).toContain(':3 (a line that the branch removes)\n\nKeep it.')
    expect(task.description).toContain('3. The whole change\n\nSmaller commits, please.')
    expect(task.acceptanceCriteria.map(({ text }) => text)).toEqual([
      'src/login.ts:12: Say why.',
      'a\nb:3: Keep it.',
      'Smaller commits, please.',
    ])
    expect(worktree.integration).toMatchObject({ status: 'rejected', problem: '3 comments in review: task 2' })
    expect((await world.events()).slice(-1)).toEqual(['request_changes'])
  })

  it('go to the implementer, not to a later reviewer or tester', async () => {
    const world = await openCore()
    await world.worktree('auth')
    for (const [n, personaId] of ['implementer', 'tester', 'reviewer'].entries()) {
      await world.agent(`a-${n}`, { personaId, worktree: 'auth' })
      const { id } = await world.task({ personaId, targetWorktree: 'auth' })
      await world.perform(claimTask, { taskId: id, agentId: `a-${n}` })
      await world.perform(completeTask, { taskId: id, agentId: `a-${n}` })
      world.pass(1000)
    }
    expect((await world.perform(requestChanges, { worktreeName: 'auth', comments: [onLine] })).task).toMatchObject({
      personaId: 'implementer',
      parentTaskId: 1,
    })
  })

  it('need no integration', async () => {
    const world = await withWork()
    expect(
      (await world.perform(requestChanges, { worktreeName: 'auth', comments: [onLine] })).worktree.integration,
    ).toBeNull()
    const empty = await openCore()
    await empty.worktree('auth')
    expect((await empty.perform(requestChanges, { worktreeName: 'auth', comments: [onLine] })).task).toMatchObject({
      personaId: 'implementer',
      parentTaskId: null,
    })
  })

  it('are one transaction: a refusal leaves no task', async () => {
    const world = await withWork()
    expect(await refused(world.perform(requestChanges, { worktreeName: 'nowhere', comments: [onLine] }))).toBe(
      'not_found',
    )
    expect(await refused(world.perform(requestChanges, { worktreeName: 'auth', comments: [] }))).toBe('invalid_input')
    expect(
      (await refusal(world.perform(requestChanges, { worktreeName: 'auth', comments: [{ ...onLine, text: '  ' }] })))
        .message,
    ).toContain('the comment is empty')
    expect(
      await refused(world.perform(requestChanges, { worktreeName: 'auth', comments: [onLine] }, agentActor('test-1'))),
    ).toBe('not_allowed')
    expect(await world.perform(listTasks, {})).toHaveLength(1)
  })

  it('allow the next request for an integration when they are done', async () => {
    const world = await withWork()
    await ready(world)
    const { task } = await world.perform(requestChanges, { worktreeName: 'auth', comments: [onLine] })
    expect(await refused(world.perform(requestIntegration, { worktreeName: 'auth' }))).toBe('unfinished_tasks')
    await world.perform(cancelTask, { taskId: task.id })
    await ready(world)
    expect((await world.perform(getWorktreeStatus, { worktreeName: 'auth' }, person))[0]!.integration).toMatchObject({
      status: 'verifying',
    })
  })
})

it('the comments on a worktree are read with their positions', async () => {
  const world = await withWork()
  expect(await world.perform(readClaims, { worktreeName: 'auth' })).toEqual([
    {
      id: 1,
      title: 'Test it',
      status: 'completed',
      said: [
        { where: 'the result of task 1', text: 'All tests pass.' },
        { where: 'the result of task 1', text: 'lint: true' },
        { where: 'a note of task 1', text: 'half of it' },
        { where: 'a note of task 1', text: 'The result names files that do not exist: src/login.ts' },
      ],
      criteria: [{ text: 'login works', met: expect.any(Boolean) as boolean }],
      artifacts: [],
      missing: ['src/login.ts'],
      lastExit: null,
    },
  ])
})
