import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { person, system } from '../../../../src/domain/agent/actor.ts'
import { later } from '../../../../src/domain/words/time.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { settleRun } from '../../../../src/operations/runs/ends.ts'
import { recordLaunch, recordPause } from '../../../../src/operations/runs/processes.ts'
import { recordRunReport } from '../../../../src/operations/runs/reports.ts'
import { dispatch } from '../../../../src/operations/supervision/dispatch.ts'
import { answerBudget } from '../../../../src/operations/tasks/budget-answers.ts'
import { createTask } from '../../../../src/operations/tasks/create.ts'
import { getTask } from '../../../../src/operations/tasks/detail.ts'
import { openController } from '../../controller.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen } from '../../screen.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

const uses = (costUsd: number | null, tokensCached = 0) =>
  perform(
    fixture.core,
    recordRunReport,
    {
      agentId: 'implementer-1',
      run: 1,
      report: {
        model: null,
        session: null,
        tokensIn: 12_000,
        tokensOut: 900,
        tokensCached,
        costUsd,
        said: null,
        problem: null,
      },
    },
    system(),
  )

/** An agent at work on task 1, with a budget of $2.50. */
const working = async (budget: { costUsd: number } | null = { costUsd: 2.5 }) => {
  await perform(
    fixture.core,
    createTask,
    { title: 'Log in', personaId: 'implementer', metadata: { cli: 'claude' }, ...(budget ? { budget } : {}) },
    person,
  )
  await perform(fixture.core, dispatch, { maxParallel: 1 }, system())
  await perform(
    fixture.core,
    recordLaunch,
    { agentId: 'implementer-1', run: 1, pid: 4242, startedAt: '99', bootId: 'boot', startsTask: true },
    system(),
  )
}

const pauses = () => perform(fixture.core, recordPause, { agentId: 'implementer-1', run: 1, paused: true }, system())
const task = () => perform(fixture.core, getTask, { taskId: 1 }, person)

test('the usage of the task and of the agent is shown completely on a narrow screen', async () => {
  await working()
  await uses(null, 8000)
  const screen = openScreen(fixture, { columns: 60, rows: 30 })
  for (const pane of ['1', '2']) {
    await screen.press(pane)
    await screen.shows(pane === '1' ? 'Log in' : /2 Agents[^]*▸/)
    await screen.press('\r')
    await screen.shows(/used +12k in 900 out, 8k of input cached, no +│\n│ {15}price reported/)
    await screen.press('\u001b')
    await screen.lacks('8k of input cached')
  }
  await screen.close()
})

describe('a used-up budget', () => {
  test('is shown in the header, on the board and with its agent, and y raises it', async () => {
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
    await screen.shows('y raise   a no limit   x stop')
    await screen.press('\r', 'n', ' ')
    expect((await task()).budget.askedAt).not.toBeNull()
    await screen.press('y')
    await screen.shows('The budget of task 1 is now $5.00; work continues.')
    expect((await task()).budget).toEqual({ costUsd: 5, tokens: null, askedAt: null })
    await screen.lacks('over budget')
    await screen.close()
  })

  test('is removed by a', async () => {
    await working()
    await uses(3.1)
    const screen = openScreen(fixture)
    await screen.shows('⚑ 1 need')
    await screen.press('w')
    await screen.shows('y raise ')
    await screen.press('a')
    await screen.shows('Task 1 continues without a limit.')
    expect((await task()).budget).toEqual({ costUsd: null, tokens: null, askedAt: null })
    await screen.close()
  })

  test('cancels its task with x only after a confirmation', async () => {
    await working()
    await uses(3.1)
    const screen = openScreen(fixture)
    await screen.shows('⚑ 1 need')
    await screen.press('w')
    await screen.shows('x stop')
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
    const controller = await openController(fixture)
    controller.press('w')
    expect(controller.mode()).toBe('budget')
    await perform(fixture.core, answerBudget, { taskId: 1, answer: { kind: 'raise' } }, person)
    await controller.reread()
    controller.press('y')
    expect(controller.notice()).toBe('This budget no longer needs an answer. Press esc to go back.')
    expect((await task()).budget.costUsd).toBe(5)
    controller.press('escape')
    expect(controller.mode()).toBe('list')
  })

  test('that two consoles answer at the same moment is raised once', async () => {
    await working()
    await uses(3.1)
    const desks = [await openController(fixture), await openController(fixture)]
    for (const key of ['w', 'y']) for (const controller of desks) controller.press(key)
    for (const controller of desks)
      await vi.waitFor(() => expect(controller.notice()).toContain('The budget of task 1'))
    expect((await task()).budget).toEqual({ costUsd: 5, tokens: null, askedAt: null })
    expect(desks.map((controller) => controller.notice())).toEqual(
      expect.arrayContaining([
        'The budget of task 1 is now $5.00; work continues.',
        'The budget of task 1 was just answered: it is $5.00. Nothing was changed.',
      ]),
    )
  })

  test('of the session is answered by the same keys', async () => {
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

test('the usage of a task and of an agent is shown in their detail', async () => {
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

test('a task with a used-up quota sleeps on the board, and r wakes it', async () => {
  await working()
  const until = later(fixture.core.clock(), 95 * 60_000)
  await perform(
    fixture.core,
    settleRun,
    {
      agentId: 'implementer-1',
      run: 1,
      exitCode: 1,
      verdict: { kind: 'unavailable', why: 'over its limit', resetsAt: until },
    },
    system(),
  )
  const screen = openScreen(fixture, { columns: 200 })
  await screen.shows(/◔ asleep until \d\d:\d\d +claude's quota +Log in/)
  await screen.press('r')
  await screen.shows('Task 1 is pending again.')
  await screen.lacks('asleep until')
  expect(await task()).toMatchObject({ status: 'pending', notBefore: null, retryCount: 0 })
  await screen.close()
})
