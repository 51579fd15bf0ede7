import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { person, system } from '../../src/domain/actor.ts'
import { answerBudget } from '../../src/operations/answer-budget.ts'
import { dispatch } from '../../src/operations/dispatch.ts'
import { getTask } from '../../src/operations/get-task.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { createTask } from '../../src/operations/create-task.ts'
import { recordLaunch } from '../../src/operations/record-launch.ts'
import { recordPause } from '../../src/operations/record-pause.ts'
import { recordRunReport } from '../../src/operations/record-run-report.ts'
import { settleRun } from '../../src/operations/settle-run.ts'
import { later } from '../../src/domain/time.ts'
import { openDesk } from './desk.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { openScreen } from './screen.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

const uses = (costUsd: number | null, tokensCached = 0) =>
  perform(
    fixture.core,
    recordRunReport,
    { agentId: 'implementer-1', run: 1, report: { model: null, session: null, tokensIn: 12_000, tokensOut: 900, tokensCached, costUsd, said: null, problem: null } },
    system(),
  )

/** An agent at work on task 1, which may cost $2.50. */
const working = async (budget: { costUsd: number } | null = { costUsd: 2.5 }) => {
  await perform(fixture.core, createTask, { title: 'Log in', personaId: 'implementer', metadata: { cli: 'claude' }, ...(budget ? { budget } : {}) }, person)
  await perform(fixture.core, dispatch, { maxParallel: 1 }, system())
  await perform(fixture.core, recordLaunch, { agentId: 'implementer-1', run: 1, pid: 4242, startedAt: '99', bootId: 'boot', startsTask: true }, system())
}

const pauses = () => perform(fixture.core, recordPause, { agentId: 'implementer-1', run: 1, paused: true }, system())
const task = () => perform(fixture.core, getTask, { taskId: 1 }, person)

test('what was used is told to its end on a narrow screen as well, of the task and of the agent', async () => {
  await working()
  await uses(null, 8000)
  const screen = openScreen(fixture, { columns: 60, rows: 30 })
  for (const pane of ['1', '2']) {
    await screen.press(pane)
    await screen.shows(pane === '1' ? 'Log in' : /2 Agents[^]*▸/)
    await screen.press('\r')
    await screen.shows(/used +12k in 900 out, 8k of it cached, no price +│\n│ {15}told/)
    await screen.press('\u001b')
    await screen.lacks('8k of it cached')
  }
  await screen.close()
})

describe('a budget that is used up', () => {
  test('stands in the header, on the board and with its agent, and y lets it go on', async () => {
    await working()
    await uses(3.1)
    await pauses()
    const screen = openScreen(fixture)
    await screen.shows('$3.10')
    await screen.shows('‖ over budget')
    await screen.shows('‖ implementer-1')
    await screen.press('w')
    await screen.shows('Task 1 has used up its budget')
    await screen.shows('$3.10 of $2.50')
    await screen.shows('y raises it   a no limit   x stops')
    await screen.press('\r', 'n', ' ')
    expect((await task()).budget.askedAt).not.toBeNull()
    await screen.press('y')
    await screen.shows('The budget of task 1 is $5.00 now; it goes on.')
    expect((await task()).budget).toEqual({ costUsd: 5, tokens: null, askedAt: null })
    await screen.lacks('over budget')
    await screen.close()
  })

  test('is taken away by a', async () => {
    await working()
    await uses(3.1)
    const screen = openScreen(fixture)
    await screen.shows('⚑ 1 wait')
    await screen.press('w')
    await screen.shows('y raises it')
    await screen.press('a')
    await screen.shows('Task 1 goes on without a limit.')
    expect((await task()).budget).toEqual({ costUsd: null, tokens: null, askedAt: null })
    await screen.close()
  })

  test('ends its task with x only after a yes', async () => {
    await working()
    await uses(3.1)
    const screen = openScreen(fixture)
    await screen.shows('⚑ 1 wait')
    await screen.press('w')
    await screen.shows('x stops')
    await screen.press('x')
    await screen.shows('Cancels task 1')
    expect((await task()).status).toBe('in_progress')
    await screen.press('y')
    await screen.shows('Task 1 is cancelled.')
    expect((await task()).status).toBe('cancelled')
    await screen.close()
  })

  test('that was answered elsewhere meanwhile is not answered again', async () => {
    await working()
    await uses(3.1)
    const desk = await openDesk(fixture)
    desk.press('w')
    expect(desk.mode()).toBe('budget')
    await perform(fixture.core, answerBudget, { taskId: 1, answer: { kind: 'raise' } }, person)
    await desk.reread()
    desk.press('y')
    expect(desk.notice()).toBe('Nobody is asked about this budget any more; esc goes back.')
    expect((await task()).budget.costUsd).toBe(5)
    desk.press('escape')
    expect(desk.mode()).toBe('list')
  })

  test('that another console answers at the same moment is raised once', async () => {
    await working()
    await uses(3.1)
    const desks = [await openDesk(fixture), await openDesk(fixture)]
    for (const key of ['w', 'y']) for (const desk of desks) desk.press(key)
    for (const desk of desks) await vi.waitFor(() => expect(desk.notice()).toContain('The budget of task 1'))
    expect((await task()).budget).toEqual({ costUsd: 5, tokens: null, askedAt: null })
    expect(desks.map((desk) => desk.notice())).toEqual(
      expect.arrayContaining(['The budget of task 1 is $5.00 now; it goes on.', 'The budget of task 1 was just answered: it is $5.00; nothing more was done.']),
    )
  })

  test('of the session is answered as well', async () => {
    await working(null)
    await uses(3.1)
    await perform(fixture.core, answerBudget, { answer: { kind: 'raise', costUsd: 5 } }, person)
    await uses(5.5)
    const screen = openScreen(fixture)
    await screen.shows('$5.50/5.00')
    await screen.press('w')
    await screen.shows('The session has used up its budget')
    await screen.press('x')
    await screen.shows('‖ paused')
    await screen.lacks('⚑')
    await screen.close()
  })
})

test('what a task and an agent have used stands where they are opened', async () => {
  await working()
  await uses(0.42)
  const screen = openScreen(fixture)
  await screen.shows('Log in')
  await screen.press('\r')
  await screen.shows(/used +12k in 900 out, \$0\.42/)
  await screen.shows(/budget +\$0\.42 of \$2\.50/)
  await screen.press('\u001b')
  await screen.press('2')
  await screen.press('\r')
  await screen.shows(/used +12k in 900 out, \$0\.42/)
  await screen.close()
})

test('a task whose quota is used up sleeps on the board, and r wakes it', async () => {
  await working()
  const until = later(fixture.core.clock(), 95 * 60_000)
  await perform(fixture.core, settleRun, { agentId: 'implementer-1', run: 1, exitCode: 1, verdict: { kind: 'unavailable', why: 'over its limit', resetsAt: until } }, system())
  const screen = openScreen(fixture, { columns: 200 })
  await screen.shows(/◔ sleeps until \d\d:\d\d +claude's quota +Log in/)
  await screen.press('r')
  await screen.shows('Task 1 is on the board again.')
  await screen.lacks('sleeps until')
  expect(await task()).toMatchObject({ status: 'pending', notBefore: null, retryCount: 0 })
  await screen.close()
})
