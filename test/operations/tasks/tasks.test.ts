import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { later } from '../../../src/domain/words/time.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import {
  claimTask,
  completeTask,
  failTask,
  reportTaskProgress,
  startTask,
} from '../../../src/operations/tasks/claims.ts'
import { getTask, getTaskLogs } from '../../../src/operations/tasks/detail.ts'
import { getTaskTree, listTasks } from '../../../src/operations/tasks/list.ts'
import { importTasks } from '../../../src/operations/tasks/import.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { minute, openCore, refusal, refused, second, start } from '../../support/core.ts'

describe('a new task', () => {
  it('is pending, with exactly the given fields', async () => {
    const { task } = await openCore()
    const made = await task({
      title: ' Login ',
      description: 'JWT',
      priority: 90,
      acceptanceCriteria: ['it works'],
      metadata: { tier: 1 },
    })
    expect(made).toMatchObject({
      id: 1,
      title: 'Login',
      description: 'JWT',
      personaId: 'implementer',
      status: 'pending',
      priority: 90,
      attempt: 0,
      retryCount: 0,
      assignedAgentId: null,
      leaseExpiresAt: null,
      acceptanceCriteria: [{ text: 'it works', met: false }],
      metadata: { tier: 1 },
      createdBy: 'human',
      createdAt: start,
      command: null,
      commandAllowed: true,
    })
  })

  it('requires an existing persona, worktree, parent and dependencies', async () => {
    const { task } = await openCore()
    expect((await refusal(task({ personaId: 'nobody' }))).message).toBe(
      "There is no persona nobody. 'aiswarm persona list' lists the personas.",
    )
    expect(await refused(task({ personaId: 'human' }))).toBe('not_found')
    expect(await refused(task({ targetWorktree: 'nowhere' }))).toBe('not_found')
    expect(await refused(task({ parentTaskId: 9 }))).toBe('not_found')
    expect((await refusal(task({ dependencies: [9] }))).message).toBe(
      'The task depends on task 9, which does not exist. Create that one first.',
    )
  })

  it('has each dependency once, however often it was given', async () => {
    const { task } = await openCore()
    await task()
    expect((await task({ dependencies: [1, 1, 1] })).dependencies).toEqual([1])
  })

  it('with a command may run if a person created it, and waits for a person if an agent did', async () => {
    const { task, agent } = await openCore()
    expect((await task({ command: 'npm test' })).commandAllowed).toBe(true)
    expect((await task({ command: 'npm test' }, await agent('a'))).commandAllowed).toBe(false)
  })
})

describe('a claim', () => {
  it('returns attempt 1 and a lease of 60 s', async () => {
    const { task, agent, perform } = await openCore()
    await task()
    expect(await perform(claimTask, { taskId: 1, agentId: 'a' }, await agent('a'))).toMatchObject({
      status: 'claimed',
      assignedAgentId: 'a',
      attempt: 1,
      claimedAt: start,
      startedAt: null,
      leaseExpiresAt: later(start, 60 * second),
    })
  })

  it('is refused to another agent and to the holder', async () => {
    const { task, agent, perform } = await openCore()
    await task()
    const [a, b] = [await agent('a'), await agent('b')]
    await perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    expect((await refusal(perform(claimTask, { taskId: 1, agentId: 'b' }, b))).message).toBe(
      'Task 1 is claimed by a; only a pending task can be claimed.',
    )
    expect(await refused(perform(claimTask, { taskId: 1, agentId: 'a' }, a))).toBe('already_claimed')
  })

  it('is refused in the name of another agent', async () => {
    const { task, agent, perform } = await openCore()
    await task()
    await agent('b')
    expect(await refused(perform(claimTask, { taskId: 1, agentId: 'b' }, await agent('a')))).toBe('not_allowed')
  })

  it('is refused until every dependency is completed, even if one has failed or was cancelled', async () => {
    const { task, agent, perform, show } = await openCore({ session: { maxRetries: 0 } })
    await task()
    await task({ dependencies: [1] })
    const a = await agent('a')
    expect(await refused(perform(claimTask, { taskId: 2, agentId: 'a' }, a))).toBe('blocked')
    await perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    await perform(failTask, { taskId: 1, errorMessage: 'no' }, a)
    expect(await refused(perform(claimTask, { taskId: 2, agentId: 'a' }, a))).toBe('blocked')
    expect(await show(2)).toMatchObject({ status: 'pending', blockedBy: [1] })
    await perform(retryTask, { taskId: 1 })
    await perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    await perform(completeTask, { taskId: 1 }, a)
    expect((await perform(claimTask, { taskId: 2, agentId: 'a' }, a)).blockedBy).toEqual([])
  })

  it('is refused across personas and outside the worktree', async () => {
    const { task, agent, perform, worktree } = await openCore()
    await worktree('w')
    await task()
    await agent('t', { personaId: 'tester' })
    await agent('in-w', { worktree: 'w' })
    expect(await refused(perform(claimTask, { taskId: 1, agentId: 't' }))).toBe('persona_mismatch')
    expect((await refusal(perform(claimTask, { taskId: 1, agentId: 'in-w' }))).message).toBe(
      'Task 1 belongs in the repository root, but in-w is confined to w.',
    )
    await task({ targetWorktree: 'w' })
    expect((await perform(claimTask, { taskId: 2, agentId: 'in-w' })).assignedAgentId).toBe('in-w')
  })

  it('is refused for unknown, built-in and ended agents and tasks', async () => {
    const { task, agent, perform } = await openCore()
    await task()
    await agent('a')
    expect(await refused(perform(claimTask, { taskId: 7, agentId: 'a' }))).toBe('not_found')
    expect(await refused(perform(claimTask, { taskId: 1, agentId: 'nobody' }))).toBe('not_found')
    expect(await refused(perform(claimTask, { taskId: 1, agentId: 'human' }))).toBe('not_found')
    await perform(cancelTask, { taskId: 1 })
    expect(await refused(perform(claimTask, { taskId: 1, agentId: 'a' }))).toBe('invalid_state')
  })
})

describe('a task in progress', () => {
  const claimed = async () => {
    const world = await openCore()
    await world.task({ acceptanceCriteria: ['one', 'two'] })
    const a = await world.agent('a')
    await world.perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    return { ...world, a }
  }

  it('is started by a start, a report or a completion', async () => {
    const one = await claimed()
    expect(await one.perform(startTask, { taskId: 1 }, one.a)).toMatchObject({
      status: 'in_progress',
      startedAt: start,
    })
    const two = await claimed()
    two.pass(second)
    expect(
      await two.perform(reportTaskProgress, { taskId: 1, progressNote: 'half', percentComplete: 50 }, two.a),
    ).toMatchObject({
      status: 'in_progress',
      startedAt: two.now(),
      progressPercent: 50,
      progressedAt: two.now(),
    })
    const three = await claimed()
    expect(await three.perform(completeTask, { taskId: 1 }, three.a)).toMatchObject({
      status: 'completed',
      startedAt: start,
      completedAt: start,
    })
  })

  it('cannot be started twice', async () => {
    const { perform, a } = await claimed()
    await perform(startTask, { taskId: 1 }, a)
    expect(await refused(perform(startTask, { taskId: 1 }, a))).toBe('invalid_state')
  })

  it('extends its lease with each report and keeps its notes in order', async () => {
    const { perform, a, pass, show, now } = await claimed()
    pass(50 * second)
    await perform(reportTaskProgress, { taskId: 1, progressNote: 'first' }, a)
    await perform(reportTaskProgress, { taskId: 1, progressNote: 'second', percentComplete: 10, level: 'warn' }, a)
    expect((await show(1)).leaseExpiresAt).toBe(later(now(), minute))
    const logs = await perform(getTaskLogs, { taskId: 1 })
    expect(logs.map((row) => [row.agentId, row.level, row.message, row.attempt, row.percent])).toEqual([
      ['a', 'info', 'first', 1, null],
      ['a', 'warn', 'second', 1, 10],
    ])
    expect((await perform(getTaskLogs, { taskId: 1, afterId: logs[0]!.id })).map((row) => row.message)).toEqual([
      'second',
    ])
    expect((await perform(getTaskLogs, { agentId: 'a', last: 1 })).map((row) => row.message)).toEqual(['second'])
    expect(await refused(perform(getTaskLogs, { taskId: 5 }))).toBe('not_found')
  })

  it('has the criteria met that its agent names, by text or number, and no others', async () => {
    const { perform, a, show } = await claimed()
    await perform(reportTaskProgress, { taskId: 1, progressNote: 'half', criteriaMet: ['2'] }, a)
    expect((await show(1)).acceptanceCriteria).toEqual([
      { text: 'one', met: false },
      { text: 'two', met: true },
    ])
    expect((await refusal(perform(completeTask, { taskId: 1, criteriaMet: ['three'] }, a))).message).toBe(
      "Task 1 has no acceptance criterion 'three'; it has: 1. one 2. two",
    )
    expect(await refused(perform(completeTask, { taskId: 1, criteriaMet: ['3'] }, a))).toBe('invalid_input')
    expect((await show(1)).status).toBe('in_progress')
    await perform(completeTask, { taskId: 1, criteriaMet: ['one', '2'] }, a)
    expect((await show(1)).acceptanceCriteria.every(({ met }) => met)).toBe(true)
  })

  it('ends with a result, the met criteria and no lease, and is completed once', async () => {
    const { perform, a, show } = await claimed()
    await perform(completeTask, { taskId: 1, resultData: { passed: 3 }, criteriaMet: ['two'] }, a)
    expect(await show(1)).toMatchObject({
      status: 'completed',
      resultData: { passed: 3 },
      progressPercent: 100,
      leaseExpiresAt: null,
      assignedAgentId: 'a',
      errorMessage: null,
      acceptanceCriteria: [
        { text: 'one', met: false },
        { text: 'two', met: true },
      ],
      attempts: [{ attempt: 1, agentId: 'a', outcome: 'completed' }],
    })
    expect((await refusal(perform(completeTask, { taskId: 1, resultData: 'again' }, a))).message).toBe(
      'Task 1 is completed; only a claimed task can be completed.',
    )
    expect(await refused(perform(failTask, { taskId: 1, errorMessage: 'late' }, a))).toBe('invalid_state')
    expect(await refused(perform(cancelTask, { taskId: 1 }))).toBe('invalid_state')
    expect(await refused(perform(retryTask, { taskId: 1 }))).toBe('invalid_state')
    expect((await show(1)).resultData).toEqual({ passed: 3 })
  })

  it('that failed for good can be cancelled, and keeps its error', async () => {
    const { perform, task, agent, show } = await openCore({ session: { maxRetries: 0 } })
    await task()
    const a = await agent('a')
    await perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    await perform(failTask, { taskId: 1, errorMessage: 'the port is taken' }, a)
    expect(await show(1)).toMatchObject({ status: 'failed' })
    await perform(cancelTask, { taskId: 1 })
    expect(await show(1)).toMatchObject({ status: 'cancelled', errorMessage: null })
    expect((await perform(getTask, { taskId: 1 })).attempts).toMatchObject([
      { outcome: 'failed', error: 'the port is taken' },
    ])
    expect(await refused(perform(retryTask, { taskId: 1 }))).toBe('invalid_state')
  })

  it('refuses the report of an agent that does not hold it', async () => {
    const { perform, agent, show } = await claimed()
    const b = await agent('b')
    const before = await show(1)
    for (const work of [
      () => perform(startTask, { taskId: 1 }, b),
      () => perform(reportTaskProgress, { taskId: 1, progressNote: 'x' }, b),
      () => perform(completeTask, { taskId: 1 }, b),
      () => perform(failTask, { taskId: 1, errorMessage: 'x' }, b),
    ]) {
      const { code, message } = await refusal(work())
      expect([code, message]).toEqual(['lease_lost', 'Agent b does not hold task 1; a does, in attempt 1.'])
    }
    expect(await refused(perform(completeTask, { taskId: 1, agentId: 'a' }, b))).toBe('not_allowed')
    expect(await show(1)).toEqual(before)
  })

  it('has artifacts only inside its working folder', async () => {
    const { perform, a, root, folder, show } = await claimed()
    mkdirSync(join(folder, 'repository-2'))
    symlinkSync(folder, join(root, 'way-out'))
    for (const path of [
      '../x',
      '/etc/passwd',
      join(folder, 'repository-2', 'x'),
      'a/../../x',
      'way-out/x',
      'way-out',
    ]) {
      expect(await refused(perform(completeTask, { taskId: 1, artifacts: ['fine.txt', path] }, a))).toBe(
        'outside_worktree',
      )
    }
    const paths = ['.', 'src/new/file.ts', join(root, 'x'), 'a/../b', '..x']
    mkdirSync(join(root, 'src/new'), { recursive: true })
    for (const path of ['src/new/file.ts', 'x', 'b', '..x']) writeFileSync(join(root, path), path)
    mkdirSync(join(root, 'a'))
    await perform(completeTask, { taskId: 1, artifacts: [...paths, 'never.txt', 'never.txt'] }, a)
    expect((await show(1)).artifacts).toEqual(paths)
    expect((await perform(getTaskLogs, { taskId: 1, last: 1 }))[0]).toMatchObject({
      level: 'warn',
      message: 'The result names files that do not exist: never.txt',
    })
  })
})

describe('a cancellation', () => {
  it('ends a pending or held task, with its reason', async () => {
    const { task, agent, perform, show } = await openCore()
    await task()
    await task()
    const a = await agent('a')
    await perform(claimTask, { taskId: 2, agentId: 'a' }, a)
    expect(await perform(cancelTask, { taskId: 1, reason: 'not needed' })).toMatchObject({
      status: 'cancelled',
      errorMessage: 'not needed',
      completedAt: start,
    })
    await perform(cancelTask, { taskId: 2 })
    expect(await show(2)).toMatchObject({
      status: 'cancelled',
      leaseExpiresAt: null,
      attempts: [{ outcome: 'cancelled' }],
    })
    expect(await refused(perform(completeTask, { taskId: 2 }, a))).toBe('invalid_state')
    expect(await refused(perform(cancelTask, { taskId: 2 }))).toBe('invalid_state')
  })
})

describe('a list of tasks', () => {
  it('shows the tasks that can be claimed now, most important first', async () => {
    const { task, agent, perform, pass } = await openCore()
    for (const priority of [1, 5, 5, 9]) await task({ priority })
    await task({ priority: 99, dependencies: [1] })
    const a = await agent('a')
    await perform(claimTask, { taskId: 4, agentId: 'a' }, a)
    const ids = async () => (await perform(listTasks, { available: true })).map((one) => one.id)
    expect(await ids()).toEqual([2, 3, 1])
    await perform(failTask, { taskId: 4, errorMessage: 'no' }, a)
    expect(await ids()).toEqual([2, 3, 1])
    pass(30 * second)
    expect(await ids()).toEqual([4, 2, 3, 1])
    expect((await perform(listTasks, { status: 'blocked' })).map((one) => one.id)).toEqual([5])
    expect(await perform(listTasks, { personaId: 'tester' })).toEqual([])
  })

  it('nests subtasks and keeps the ancestors of matching tasks', async () => {
    const { task, perform } = await openCore()
    await task()
    await task({ parentTaskId: 1, personaId: 'tester' })
    await task({ parentTaskId: 2 })
    await task({ parentTaskId: 1 })
    const shape = (nodes: readonly { id: number; children: readonly unknown[] }[]): unknown =>
      nodes.map((node) => [node.id, shape(node.children as never)])
    expect(shape(await perform(getTaskTree, {}))).toEqual([
      [
        1,
        [
          [2, [[3, []]]],
          [4, []],
        ],
      ],
    ])
    expect(shape(await perform(getTaskTree, { filterPersona: 'tester' }))).toEqual([[1, [[2, []]]]])
    expect(shape(await perform(getTaskTree, { filterStatus: 'completed' }))).toEqual([])
  })
})

describe('an imported list', () => {
  const draft = (title: string, dependencies: number[] = []) => ({ title, personaId: 'implementer', dependencies })

  it('counts its dependencies from its own start, forwards too', async () => {
    const { task, perform } = await openCore()
    await task()
    const made = await perform(importTasks, [draft('a', [3]), draft('b', [1]), draft('c')])
    expect(made.map((one) => [one.id, one.dependencies])).toEqual([
      [2, [4]],
      [3, [2]],
      [4, []],
    ])
  })

  it('with a cycle or an unknown place creates nothing', async () => {
    const { perform } = await openCore()
    expect((await refusal(perform(importTasks, [draft('a', [2]), draft('b', [3]), draft('c', [2])]))).message).toBe(
      'The dependencies form a cycle (2 → 3 → 2). Remove one of them.',
    )
    expect((await refusal(perform(importTasks, [draft('a', [2])]))).message).toBe(
      'Task 1 of the list depends on task 2, but the list has 1.',
    )
    expect(await refused(perform(importTasks, [draft('a'), { ...draft('b'), personaId: 'nobody' }]))).toBe('not_found')
    expect(await refused(perform(importTasks, []))).toBe('invalid_input')
    expect(await perform(listTasks, {})).toEqual([])
  })
})

test('a write of a loop is signed by aiswarm', async () => {
  const { task } = await openCore()
  expect((await task({}, system())).createdBy).toBe('aiswarm')
})
