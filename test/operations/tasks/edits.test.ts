import { describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { later } from '../../../src/domain/words/time.ts'
import { readBudget } from '../../../src/operations/budgets/costs.ts'
import { answerBudget } from '../../../src/operations/tasks/budget-answers.ts'
import { claimTask, completeTask, failTask, reportTaskProgress } from '../../../src/operations/tasks/claims.ts'
import { editTask, getTaskHistory } from '../../../src/operations/tasks/edits.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { agentActor, minute, openCore, refusal, refused, start } from '../../support/core.ts'

describe('an edit of a pending task', () => {
  it('changes every named field, and leaves the others', async () => {
    const { perform, task, show } = await openCore()
    await task({ title: 'Model' })
    await task({
      title: 'Login',
      description: 'old',
      priority: 3,
      acceptanceCriteria: ['a', 'b'],
      metadata: { tier: 1 },
    })
    const { task: edited } = await perform(editTask, {
      taskId: 2,
      description: 'new\nin two lines',
      priority: 90,
      dependencies: [1, 1],
      acceptanceCriteria: ['b', 'c'],
      kind: 'codex',
      model: 'gpt-5.5',
      budget: { costUsd: 2.5 },
    })
    expect(edited).toMatchObject({
      title: 'Login',
      description: 'new\nin two lines',
      priority: 90,
      dependencies: [1],
      blockedBy: [1],
      acceptanceCriteria: [
        { text: 'b', met: false },
        { text: 'c', met: false },
      ],
      metadata: { tier: 1, cli: 'codex', model: 'gpt-5.5' },
    })
    expect((await show(2)).budget).toMatchObject({ costUsd: 2.5, tokens: null })

    await perform(editTask, { taskId: 2, kind: null, model: null, dependencies: [], acceptanceCriteria: [] })
    expect(await show(2)).toMatchObject({
      description: 'new\nin two lines',
      priority: 90,
      metadata: { tier: 1 },
      dependencies: [],
      acceptanceCriteria: [],
    })
  })

  it('moves the task to its new place in the queue', async () => {
    const { perform, task } = await openCore()
    await task({ title: 'first', priority: 10 })
    await task({ title: 'second', priority: 5 })
    const queue = async () => (await perform(listTasks, { available: true })).map(({ id }) => id)
    expect(await queue()).toEqual([1, 2])
    await perform(editTask, { taskId: 2, priority: 20 })
    expect(await queue()).toEqual([2, 1])
  })

  it('leaves no event if it changes nothing', async () => {
    const { perform, task, events } = await openCore()
    await task({ priority: 5, acceptanceCriteria: ['a'] })
    const before = await events()
    expect(
      (await perform(editTask, { taskId: 1, priority: 5, acceptanceCriteria: ['a'], kind: null, dependencies: [] }))
        .changes,
    ).toEqual([])
    expect(await events()).toEqual(before)
  })

  it('keeps a budget limit that it does not name, and removes one that is null', async () => {
    const { perform, task, show } = await openCore()
    await task({ budget: { costUsd: 1, tokens: 1000 } })
    await perform(editTask, { taskId: 1, budget: { tokens: 2000 } })
    expect((await show(1)).budget).toMatchObject({ costUsd: 1, tokens: 2000 })
    await perform(editTask, { taskId: 1, budget: { costUsd: null } })
    expect((await show(1)).budget).toMatchObject({ costUsd: null, tokens: 2000 })
  })

  it('is refused if its dependencies do not exist or need the task itself', async () => {
    const { perform, task, show } = await openCore()
    await task()
    await task({ dependencies: [1] })
    await task({ dependencies: [2] })
    expect((await refusal(perform(editTask, { taskId: 1, dependencies: [3], priority: 7 }))).message).toBe(
      'The dependencies form a cycle (1 → 3 → 2 → 1). Remove one of them.',
    )
    expect(await refused(perform(editTask, { taskId: 1, dependencies: [1] }))).toBe('dependency_cycle')
    expect((await refusal(perform(editTask, { taskId: 1, dependencies: [9] }))).message).toBe(
      'There is no task 9 to depend on.',
    )
    // Nothing of a refused edit is kept.
    expect(await show(1)).toMatchObject({ priority: 0, dependencies: [] })
  })

  it('is refused if it names an unknown kind, or a kind for a task that runs a command', async () => {
    const { perform, task } = await openCore()
    await task()
    await task({ command: 'npm test' })
    expect((await refusal(perform(editTask, { taskId: 1, kind: 'gemini' }))).message).toBe(
      "Agent kind 'gemini' is unknown. The known kinds are claude, codex, command.",
    )
    expect((await refusal(perform(editTask, { taskId: 2, kind: 'claude' }))).message).toBe(
      'Task 2 runs a command, so it has no kind of agent.',
    )
  })

  it('edits a task whose metadata has no keys, except for what would be stored there', async () => {
    const { perform, task, show } = await openCore()
    await task({ metadata: 'a note' })
    await perform(editTask, { taskId: 1, priority: 4 })
    expect(await show(1)).toMatchObject({ priority: 4, metadata: 'a note' })
    expect(await refused(perform(editTask, { taskId: 1, model: 'm' }))).toBe('invalid_state')
  })
})

describe('an edit of a task that an agent works on', () => {
  it('changes only the priority and the budget, because the agent has read the rest', async () => {
    const { perform, task, agent, show } = await openCore()
    await task()
    const backend = await agent('backend-1')
    await perform(claimTask, { taskId: 1 }, backend)
    await perform(editTask, { taskId: 1, priority: 8, budget: { tokens: 500 } })
    expect(await show(1)).toMatchObject({ priority: 8, status: 'claimed' })
    expect((await refusal(perform(editTask, { taskId: 1, description: 'other' }))).message).toBe(
      'Task 1 is claimed by backend-1, which has read its description already; only priority and budget can change now. Terminate the agent first.',
    )
  })
})

describe('an edit of an ended task', () => {
  it('changes a failed task before its retry, and is refused for a completed one', async () => {
    const { perform, task, agent, show } = await openCore({ session: { maxRetries: 0 } })
    await task()
    await task()
    const backend = await agent('backend-1')
    await perform(claimTask, { taskId: 1 }, backend)
    await perform(failTask, { taskId: 1, errorMessage: 'no' }, backend)
    expect((await show(1)).status).toBe('failed')
    await perform(editTask, { taskId: 1, description: 'use the other library' })
    expect((await show(1)).description).toBe('use the other library')

    await perform(claimTask, { taskId: 2 }, backend)
    await perform(completeTask, { taskId: 2 }, backend)
    expect((await refusal(perform(editTask, { taskId: 2, priority: 1 }))).message).toBe(
      'Task 2 is completed; only a pending, running or failed task can be edited. Create another task for the rest.',
    )
  })
})

describe('an edit', () => {
  it('is for a person only', async () => {
    const { perform, task, agent } = await openCore()
    await task()
    expect(await refused(perform(editTask, { taskId: 1, priority: 1 }, await agent('backend-1')))).toBe('not_allowed')
    expect(await refused(perform(editTask, { taskId: 1, priority: 1 }, agentActor('planner-1', 'planner')))).not.toBe(
      '',
    )
    await perform(editTask, { taskId: 1, priority: 1 }, system())
  })

  it('keeps criteria met whose text stays', async () => {
    const { perform, task, agent, show } = await openCore({ session: { maxRetries: 0 } })
    await task({ acceptanceCriteria: ['a', 'b'] })
    const backend = await agent('backend-1')
    await perform(claimTask, { taskId: 1 }, backend)
    await perform(reportTaskProgress, { taskId: 1, progressNote: 'half', criteriaMet: ['a'] }, backend)
    await perform(failTask, { taskId: 1, errorMessage: 'no' }, backend)
    await perform(editTask, { taskId: 1, acceptanceCriteria: ['c', 'a'] })
    expect((await show(1)).acceptanceCriteria).toEqual([
      { text: 'c', met: false },
      { text: 'a', met: true },
    ])
  })

  it('of a used-up budget answers the question, and refuses one that is used up as well', async () => {
    const { perform, task, core } = await openCore()
    await task({ budget: { tokens: 100 } })
    await core.store.write(async (db) => {
      await db
        .insertInto('agent_runs')
        .values({ agent_id: 'human', run: 1, task_id: 1, kind: 'claude', started_at: start, tokens_in: 150 })
        .execute()
    })
    expect((await refusal(perform(editTask, { taskId: 1, budget: { tokens: 120 } }))).code).toBe('invalid_input')
    await perform(editTask, { taskId: 1, budget: { tokens: 1000 } })
    expect((await perform(readBudget, { taskId: 1 })).budget).toEqual({ costUsd: null, tokens: 1000, askedAt: null })
    // The new amount is also the step of the next raise.
    expect((await perform(answerBudget, { taskId: 1, answer: { kind: 'raise' } })).budget.tokens).toBe(2000)
  })
})

describe('the history of a task', () => {
  it('lists who changed what and when, oldest first', async () => {
    const { perform, task, pass } = await openCore()
    await task({ description: 'one\ntwo', priority: 1 })
    pass(minute)
    await perform(editTask, { taskId: 1, description: 'one\nthree', priority: 2 })
    expect(await perform(getTaskHistory, { taskId: 1 })).toEqual([
      { at: start, actor: 'human', did: 'created', changes: [] },
      {
        at: later(start, minute),
        actor: 'human',
        did: 'edited',
        changes: [
          { field: 'description', from: 'one\ntwo', to: 'one\nthree' },
          { field: 'priority', from: 1, to: 2 },
        ],
      },
    ])
  })
})
