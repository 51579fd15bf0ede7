import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { setSleep } from '../../../src/db/quotas.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { later } from '../../../src/domain/words/time.ts'
import { answerRequest } from '../../../src/operations/requests/answers.ts'
import { askHuman } from '../../../src/operations/requests/questions.ts'
import { claimTask, failTask, startTask } from '../../../src/operations/tasks/claims.ts'
import { deregisterAgent } from '../../../src/operations/agents/heartbeat.ts'
import { backupDatabase, checkDatabase, databaseStatus } from '../../../src/operations/database/maintenance.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { minute, openCore, refused, second } from '../../support/core.ts'
import { connectionOf, look, onlyOnSqlite } from '../../support/store.ts'

describe('the board', () => {
  it('shows a window of tasks, and says that there are more', async () => {
    const { task, perform } = await openCore()
    for (let i = 0; i < 10; i++) await task()
    const window = await perform(readBoard, { around: 5, before: 2, after: 3 })
    expect(window.tasks.map((one) => one.id)).toEqual([3, 4, 5, 6, 7])
    expect([window.moreBefore, window.moreAfter, window.counts.pending]).toEqual([true, true, 10])
    const end = await perform(readBoard, { around: 999, before: 2 })
    expect([end.tasks.map((one) => one.id), end.moreBefore, end.moreAfter]).toEqual([[9, 10], true, false])
  })

  it('finds words in the title, persona, worktree, agent and state', async () => {
    const { task, agent, perform, worktree } = await openCore()
    await worktree('w_x')
    await task({ title: '100% of it' })
    await task({ title: 'login API', targetWorktree: 'w_x' })
    await task({ title: 'logout', personaId: 'tester' })
    await perform(claimTask, { taskId: 2, agentId: 'backend' }, await agent('backend'))
    const find = async (...words: string[]) =>
      (await perform(readBoard, { where: words.map((word) => `"${word}"`).join(' ') })).tasks.map((one) => one.id)
    expect(await find('LOG')).toEqual([2, 3])
    expect(await find('log', 'tester')).toEqual([3])
    expect(await find('0%')).toEqual([1])
    expect(await find('%')).toEqual([1])
    expect(await find('w_')).toEqual([2])
    expect(await find('backend')).toEqual([2])
    expect(await find('claimed')).toEqual([2])
    expect(await find("'; DROP TABLE tasks --")).toEqual([])
  })

  it('names a task without an installed kind of agent, and the command that helps', async () => {
    const { task, agent, perform } = await openCore({ agents: { ...defaultSettings.agents, default: null } })
    await task({ title: 'Log in' })
    await task({ title: 'Log out', metadata: { cli: 'nobody' } })
    await task({ title: 'Build', command: 'true' })
    await task({ title: 'Later', dependencies: [1] })
    const unstartable = async () =>
      (await perform(readBoard, {})).attention
        .filter(({ kind }) => kind === 'unstartable')
        .map(({ taskId, text, evidence, command }) => [taskId, text, evidence, command])
    const items = await unstartable()
    expect(items).toEqual([
      [
        1,
        expect.stringMatching(
          /^task 1 cannot start: no agent kind is configured for persona implementer; set agents\.default/,
        ),
        'Log in',
        'aiswarm doctor (or task cancel 1)',
      ],
      [
        2,
        expect.stringMatching(/^task 2 cannot start: agent kind 'nobody' is unknown/),
        'Log out',
        'aiswarm doctor (or task cancel 2)',
      ],
    ])
    // An agent that registered itself can claim them.
    await agent('ada')
    expect(await unstartable()).toEqual([])
  })

  it('does not report a task of a sleeping kind as one that cannot start', async () => {
    const { core, task, perform } = await openCore()
    await task()
    await core.store.write((db) =>
      setSleep(db, {
        kind: 'claude',
        account: 'local',
        until: later(core.clock(), minute),
        since: core.clock(),
        agent_id: 'human',
        why: 'used up',
      }),
    )
    expect((await perform(readBoard, {})).attention).toEqual([])
  })

  it('names what waits for a person', async () => {
    const { task, agent, perform, pass } = await openCore({ session: { maxRetries: 0 } })
    const a = await agent('a')
    await task()
    await task()
    await task({ command: 'true' }, a)
    await perform(claimTask, { taskId: 1, agentId: 'a' }, a)
    await perform(failTask, { taskId: 1, errorMessage: 'red' }, a)
    await perform(claimTask, { taskId: 2, agentId: 'a' }, a)
    await perform(startTask, { taskId: 2 }, a)
    const kinds = async () => (await perform(readBoard, {})).attention.map((one) => [one.kind, one.taskId, one.text])
    expect(await kinds()).toEqual([
      ['command', 3, 'task 3 needs your approval to run its command'],
      ['failed', 1, 'task 1 failed: red'],
    ])
    pass(5 * minute + 1)
    expect((await kinds())[1]).toEqual(['stalled', 2, 'task 2 shows no progress'])
  })

  it('reports a claimed task that is not started as stalled, but not one whose agent waits for an answer', async () => {
    const { task, agent, perform, pass } = await openCore()
    for (const id of ['idle', 'asking']) {
      const actor = await agent(id)
      const { id: taskId } = await task()
      await perform(claimTask, { taskId, agentId: id }, actor)
      if (id === 'asking') await perform(askHuman, { question: 'Which colour?' }, actor)
    }
    const kinds = async () => (await perform(readBoard, {})).attention.map((one) => [one.kind, one.taskId])
    expect(await kinds()).toEqual([['question', 2]])
    pass(5 * minute + 1)
    expect(await kinds()).toEqual([
      ['question', 2],
      ['stalled', 1],
    ])
    expect((await perform(readBoard, { where: 'is:stalled' })).tasks.map(({ id }) => id)).toEqual([1, 2])
  })

  it('does not count the wait for an answer against an agent', async () => {
    const { task, agent, perform, pass } = await openCore()
    const actor = await agent('asking')
    const { id: taskId } = await task()
    await perform(claimTask, { taskId, agentId: 'asking' }, actor)
    await perform(startTask, { taskId, agentId: 'asking' }, actor)
    const { id: requestId } = await perform(askHuman, { question: 'Which colour?' }, actor)
    pass(6 * minute)
    await perform(answerRequest, { requestId, verdict: 'answer', answer: 'red' })
    const kinds = async () => (await perform(readBoard, {})).attention.map((one) => [one.kind, one.taskId])
    expect(await kinds()).toEqual([])
    pass(5 * minute + 1)
    expect(await kinds()).toEqual([['stalled', 1]])
  })

  it('names every stalled task, even more than a hundred', async () => {
    const { task, agent, perform, pass } = await openCore()
    const begin = async (agentId: string): Promise<void> => {
      const actor = await agent(agentId)
      const { id: taskId } = await task()
      await perform(claimTask, { taskId, agentId }, actor)
      await perform(startTask, { taskId, agentId }, actor)
    }
    await begin('quick')
    for (let n = 1; n <= 101; n++) await begin(`a-${n}`)
    pass(5 * minute + 1)
    const stalled = (await perform(readBoard, {})).attention.filter(({ kind }) => kind === 'stalled')
    expect(stalled.map(({ taskId }) => taskId).sort((a, b) => a! - b!)).toEqual(
      Array.from({ length: 102 }, (_, n) => n + 1),
    )
  })

  it('keeps the last twelve ended agents, and all others', async () => {
    const { agent, perform, pass } = await openCore()
    await agent('living')
    for (let i = 11; i <= 24; i++) {
      pass(second)
      await perform(deregisterAgent, { agentId: `over-${i}` }, await agent(`over-${i}`))
    }
    const shown = (await perform(readBoard, {})).agents.map((one) => one.id)
    expect(shown).toHaveLength(13)
    expect([shown.includes('living'), shown.includes('over-11'), shown.includes('over-24')]).toEqual([
      true,
      false,
      true,
    ])
  })
})

test('the database reports its state, passes its check, and is backed up while it is open', async () => {
  onlyOnSqlite()
  const { core, folder, task } = await openCore()
  await task()
  const status = await databaseStatus(core)
  expect(status).toMatchObject({ path: core.store.path, journalMode: 'wal' })
  expect(status.migrations[0]).toEqual({ name: '001_InitialSchema.sql', state: 'applied' })
  expect(await checkDatabase(core)).toEqual({ ok: true, damaged: false, findings: [] })
  const copy = join(folder, 'copy.db')
  expect(await backupDatabase(core, copy)).toEqual({ path: copy })
  expect(look(copy, 'SELECT title FROM tasks')).toEqual([{ title: 'a task' }])
  expect(await refused(backupDatabase(core, copy))).toBe('path_exists')
})

test('a row with a missing reference is found', async () => {
  const { core } = await openCore()
  connectionOf(core.store).pragma('foreign_keys = OFF')
  connectionOf(core.store).exec("INSERT INTO task_status (task_id, status) VALUES (9, 'pending')")
  expect(await checkDatabase(core)).toEqual({
    ok: false,
    damaged: true,
    findings: ['task_status row 9 refers to a missing row of tasks'],
  })
})
