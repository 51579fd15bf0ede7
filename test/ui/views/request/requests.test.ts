import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Actor, person, system } from '../../../../src/domain/agent/actor.ts'
import { clockTime, instant, type Instant, later } from '../../../../src/domain/words/time.ts'
import { writeRule } from '../../../../src/effects/configuration/allow-rules.ts'
import { answerRequest } from '../../../../src/operations/requests/answers.ts'
import { askHuman, settleRequest } from '../../../../src/operations/requests/questions.ts'
import { cancelTask } from '../../../../src/operations/tasks/cancel.ts'
import { claimTask, startTask } from '../../../../src/operations/tasks/claims.ts'
import type { Core } from '../../../../src/operations/perform/core.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { listRequests, type RequestView } from '../../../../src/operations/requests/requests.ts'
import { recordLaunch } from '../../../../src/operations/runs/processes.ts'
import { registerAgent, spawnAgent } from '../../../../src/operations/agents/spawn.ts'
import { requestPermission } from '../../../../src/operations/requests/permissions.ts'
import { settleRun } from '../../../../src/operations/runs/ends.ts'
import { secondPassed } from '../../../../src/ui/core/reducers.ts'
import { paste } from '../../../../src/ui/keys/dispatch.ts'
import { answersTo, shownRequest } from '../../../../src/ui/views/request/view.ts'
import { openRequestOf } from '../../../../src/ui/actions/requests.ts'
import { agentRow } from '../../../../src/ui/rows/agents.ts'
import { boardRow } from '../../../../src/ui/rows/tasks.ts'
import { sheetOf } from '../../../../src/ui/core/overlays.ts'
import { eventually } from '../../../support/eventually.ts'
import { openController, type TestController } from '../../controller.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen, type Screen } from '../../screen.ts'

const minute = 60_000

let fixture: Fixture
let core: Core
/** The time of the clock, which only a test moves. */
let now: Instant

beforeEach(async () => {
  const real = await openFixture()
  // A whole second after everything that the fixture has done by the real clock.
  now = instant(Math.ceil(Date.now() / 1000) * 1000 + 1000)
  core = { ...real.core, clock: () => now }
  fixture = { ...real, core, connection: { ...real.connection, core } }
})

afterEach(() => fixture.close())

const agent = (id: string): Actor => ({ kind: 'agent', id, role: 'worker', worktree: null })

/** An agent that has claimed a task of its own; returns the task's number. */
const joins = async (id: string, title: string): Promise<number> => {
  const taskId = await fixture.addTask(title)
  await perform(core, registerAgent, { id, personaId: 'implementer' }, person)
  await perform(core, claimTask, { taskId }, agent(id))
  return taskId
}

const asksFor = (
  id: string,
  toolName: string,
  input: Record<string, string | number | boolean>,
): Promise<RequestView> => perform(core, requestPermission, { toolName, input }, agent(id))

const asks = (id: string, question: string, options: string[] = []): Promise<RequestView> =>
  perform(core, askHuman, { question, options }, agent(id))

/** A run of a spawned agent whose CLI has denied something by itself; returns the agent. */
const wasDenied = async (...denied: { tool: string; about: string }[]): Promise<string> => {
  const taskId = await fixture.addTask('Deploy')
  const { id } = await perform(core, spawnAgent, { personaId: 'implementer', taskId }, person)
  await perform(
    core,
    recordLaunch,
    { agentId: id, run: 1, pid: 1, startedAt: '1', bootId: 'boot', startsTask: true },
    system(),
  )
  await perform(
    core,
    settleRun,
    { agentId: id, run: 1, exitCode: 1, verdict: { kind: 'failed', error: 'not allowed' }, denied },
    system(),
  )
  return id
}

const edit = {
  file_path: 'src/limit.ts',
  old_string: 'const limit = 5\nconst retries = 1',
  new_string: 'const limit = 3',
}

/** Every request in the database, once all pending work on it is done. */
const requests = async (): Promise<RequestView[]> => {
  await core.store.write(async () => {})
  return perform(core, listRequests, { all: true }, person)
}

const request = async (id: number): Promise<RequestView> => (await requests()).find((one) => one.id === id)!

/** The request after a person has answered it. */
const answered = (id: number): Promise<RequestView> =>
  eventually(async () => {
    const one = await request(id)
    expect(one.status).not.toBe('open')
    return one
  })

/** No answer was given, and no rule was written. */
const expectUntouched = async (...ids: readonly number[]): Promise<void> => {
  for (const id of ids) expect(await request(id)).toMatchObject({ status: 'open', answer: null, answeredBy: null })
  expect(fixture.world.wishes).toEqual([])
}

/** The lines of the view in front. */
const lines = (controller: TestController) => {
  const sheet = sheetOf(controller.state())
  return sheet === undefined ? [] : Array.from({ length: sheet.total }, (_, index) => sheet.line(index))
}

const texts = (controller: TestController): readonly string[] => lines(controller).map(({ text }) => text)

/** The text of its row in the list of agents. */
const rowOf = (controller: TestController, id: string) => {
  const { board } = controller.state()
  const row = agentRow(
    board.agents.find((one) => one.id === id)!,
    now,
    undefined,
    board.requests,
    false,
  )
  return { state: row.state, task: row.task }
}

/** The text of its row on the board. */
const taskRowOf = (controller: TestController, taskId: number) => {
  const { board } = controller.state()
  const row = boardRow(
    board.tasks.find(({ id }) => id === taskId)!,
    now,
    board.attention,
    false,
  )
  return { state: row.state, says: row.says, asks: row.asks }
}

const answerElsewhere = (requestId: number, verdict: 'allow' | 'deny') =>
  perform(core, answerRequest, { requestId, verdict }, person)

describe('a permission request', () => {
  test('is shown by w with the tool, the file, the removed and added lines, and its expiry', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('w')
    expect(controller.state().view).toMatchObject({
      pane: 'agents',
      about: 'agents',
      agent: 'backend-1',
      overlay: { kind: 'request', request: id },
    })
    expect(sheetOf(controller.state())?.title).toBe('backend-1 asks for permission')
    expect(texts(controller)).toEqual([
      'agent         backend-1, implementer',
      'task          1 Lower the limit',
      'tool          Edit',
      `asked         ${clockTime(now)}, 0s ago`,
      'expires       in 10m00; then it is denied',
      'a allows      edit',
      '',
      'Details',
      'src/limit.ts',
      '',
      'Change',
      '-const limit = 5',
      '-const retries = 1',
      '+const limit = 3',
    ])
    expect(
      lines(controller)
        .slice(-3)
        .map(({ colour }) => colour),
    ).toEqual(['red', 'red', 'green'])
    expect(answersTo(shownRequest(controller.state()))).toBe(
      'y allow once   n deny   N in words   a always: edit   esc back',
    )
    await expectUntouched(id)
  })

  test('for a command is shown with everything that is passed with it', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Bash', { command: 'npm test -- --run', timeout: 9000 })
    const controller = await openController(fixture)
    controller.press('w')
    expect(texts(controller).slice(-9)).toEqual([
      'a allows      shell(npm test)',
      '',
      'Details',
      'npm test -- --run',
      '',
      'Input',
      '{',
      '  "timeout": 9000',
      '}',
    ])
  })

  test('is allowed once by y', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('y')
    expect(controller.mode()).toBe('list')
    expect(await answered(id)).toMatchObject({
      status: 'allowed',
      answer: 'allow',
      answeredBy: 'human',
      answeredAt: now,
    })
    await eventually(() => expect(controller.notice()).toBe('Allowed backend-1 to use Edit once.'))
    expect(fixture.world.wishes).toEqual([])
  })

  test('is denied by n', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('n')
    expect(controller.mode()).toBe('list')
    expect(await answered(id)).toMatchObject({ status: 'denied', answer: 'deny', answeredBy: 'human' })
    await eventually(() => expect(controller.notice()).toBe('Denied backend-1 the use of Edit.'))
    expect(fixture.world.wishes).toEqual([])
  })

  test('is denied by N with words that reach the agent, which may not be empty', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('N')
    controller.press('enter')
    expect(controller.notice()).toBe('The words are empty. Enter words for the agent.')
    controller.press(...'Use the form.')
    controller.press('enter')
    expect(await answered(id)).toMatchObject({ status: 'denied', answer: 'Use the form.', answeredBy: 'human' })
    await eventually(() => expect(controller.notice()).toBe('Denied backend-1: Use the form.'))
  })

  test('is always allowed by a, which writes a rule for the persona', async () => {
    await joins('backend-1', 'Test')
    const { id } = await asksFor('backend-1', 'Bash', { command: 'npm test -- --run' })
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('a')
    expect(controller.mode()).toBe('list')
    expect(await answered(id)).toMatchObject({ status: 'allowed', answer: 'always', answeredBy: 'human' })
    await eventually(() =>
      expect(controller.notice()).toBe(
        'shell(npm test) is always allowed for implementer; the rule goes into .aiswarm/config.yaml.',
      ),
    )
    expect(fixture.world.wishes).toEqual([{ kind: 'allow_rule', personaId: 'implementer', rule: 'shell(npm test)' }])
  })

  test.each([
    ['agents:\n  personas:\n    implementer: claude # ours\n'],
    ['agents:\n  personas: # ours\nintegration:\n  target: main\n'],
    ['agents:\n  personas:\n    # ours\n'],
  ])('is always allowed by a rule that the configuration keeps completely: %j', async (config) => {
    const path = join(fixture.folder, 'config.yaml')
    writeFileSync(path, config)
    fixture.world.carryOut = async (wish) => {
      if (wish.kind === 'allow_rule') writeRule(path, wish.personaId, wish.rule)
    }
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Bash', { command: 'npm test' })
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('a')
    await eventually(() => expect(readFileSync(path, 'utf8')).toContain('- shell(npm test)'))
    expect(readFileSync(path, 'utf8')).toContain('# ours')
  })

  test('that no rule can describe cannot be always allowed, and a says why', async () => {
    await joins('backend-1', 'Test')
    const { id } = await asksFor('backend-1', 'Bash', { command: 'npm test && npm publish' })
    const controller = await openController(fixture)
    controller.press('w')
    expect(texts(controller).some((line) => line.startsWith('a allows'))).toBe(false)
    expect(answersTo(shownRequest(controller.state()))).toBe('y allow once   n deny   N in words   esc back')
    controller.press('a')
    expect(controller.notice()).toBe('No rule can describe this request. Allow it once, or deny it.')
    expect(controller.mode()).toBe('request')
    await expectUntouched(id)
  })

  test('is never allowed by enter, or by any key except y and a', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('2', 'enter')
    expect(controller.mode()).toBe('request')
    for (const press of ['enter', 'enter']) controller.press(press)
    expect(controller.notice()).toBe(`Request ${id} asks for permission. Allow or deny it.`)
    for (const press of [' ', 'tab', 's', 'r', 'i', 'x', 'd', 'w', 'Y', 'A', 'p', '1', 'right', 'ctrl-d'])
      controller.press(press)
    paste(controller, 'y')
    expect(controller.mode()).toBe('request')
    await expectUntouched(id)
  })

  test('is left open by esc', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('escape')
    expect(controller.mode()).toBe('list')
    await expectUntouched(id)
  })

  test('that a rule of the persona allows is not shown to any person', async () => {
    core = { ...core, allowRules: () => ['shell(npm test)'] }
    fixture = { ...fixture, core, connection: { ...fixture.connection, core } }
    const taskId = await joins('backend-1', 'Test')
    expect(await asksFor('backend-1', 'Bash', { command: 'npm test' })).toMatchObject({
      status: 'allowed',
      answeredBy: 'aiswarm',
    })
    const controller = await openController(fixture)
    expect(rowOf(controller, 'backend-1')).toEqual({ state: 'active', task: String(taskId) })
    controller.press('w')
    expect(controller.notice()).toBe('Nothing needs you.')
    expect(controller.mode()).toBe('list')
  })
})

describe('a request that ends while it is shown', () => {
  const keys = ['y', 'n', 'a', 'enter']

  /** Presses every key that answers; each shows the same message and keeps the view. */
  const expectSaid = (controller: TestController, sentence: string): void => {
    for (const key of keys) {
      controller.tell('')
      controller.press(key)
      expect([key, controller.notice(), controller.mode()]).toEqual([key, sentence, 'request'])
    }
  }

  test('because it expired counts as denied, whatever is pressed', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id, expiresAt } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('w')
    now = expiresAt!
    await perform(core, settleRequest, { requestId: id }, system())
    await controller.reread()
    expect(texts(controller).slice(0, 2)).toEqual(['expired: denied', `delivered     ${clockTime(now)}`])
    expect(texts(controller).some((line) => line.startsWith('expires'))).toBe(false)
    expect(answersTo(shownRequest(controller.state()))).toBe('expired: denied   esc back')
    expectSaid(controller, `Request ${id} is closed: it was not answered in time and counts as denied.`)
    expect(await request(id)).toMatchObject({ status: 'expired', answer: null, answeredBy: 'aiswarm' })
    expect(fixture.world.wishes).toEqual([])
  })

  test('because it was answered elsewhere keeps that answer', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('w')
    await answerElsewhere(id, 'deny')
    await controller.reread()
    expect(texts(controller)[0]).toBe('denied')
    expectSaid(controller, `Request ${id} is closed: it was denied.`)
    expect(await request(id)).toMatchObject({ status: 'denied', answer: 'deny' })
    expect(fixture.world.wishes).toEqual([])
  })

  test('keeps the other answer even if the screen does not know it yet', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    for (const key of ['y', 'a']) {
      controller.press('w')
      await answerElsewhere(id, 'deny').catch(() => {})
      controller.press(key)
      await eventually(() => expect(controller.notice()).toBe(`Request ${id} is closed: it was denied.`))
      controller.tell('')
    }
    expect(await request(id)).toMatchObject({ status: 'denied', answer: 'deny' })
    expect(fixture.world.wishes).toEqual([])
  })

  test('because its attempt ended is withdrawn', async () => {
    const taskId = await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('w')
    await perform(core, cancelTask, { taskId }, person)
    await controller.reread()
    expect(texts(controller)[0]).toBe('withdrawn: the attempt ended')
    expectSaid(controller, `Request ${id} is closed: it was withdrawn when its attempt ended.`)
    expect(await request(id)).toMatchObject({ status: 'withdrawn', answer: null })
  })

  test('disappears after a minute, and the keys still report its end', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('w')
    await answerElsewhere(id, 'allow')
    now = later(now, minute + 1)
    await controller.reread()
    expect(sheetOf(controller.state())).toBeUndefined()
    expect(answersTo(shownRequest(controller.state()))).toBe('closed   esc back')
    expectSaid(controller, 'The request is closed. Press esc to go back.')
    expect(await request(id)).toMatchObject({ status: 'allowed', answer: 'allow' })
    controller.press('escape')
    expect(controller.mode()).toBe('list')
  })

  test('because it expired is not answered any more, even if the expiry is not yet recorded', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id, expiresAt } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    for (const key of ['y', 'n', 'a']) {
      now = expiresAt!
      controller.press('w')
      controller.press(key)
      await eventually(() =>
        expect(controller.notice()).toBe(`Request ${id} was not answered in time, so it is closed.`),
      )
    }
    await expectUntouched(id)
  })

  test('is not confused with the next one of the same agent', async () => {
    await joins('backend-1', 'Lower the limit')
    const shown = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('w')
    await answerElsewhere(shown.id, 'deny')
    const next = await asksFor('backend-1', 'Bash', { command: 'rm -rf build' })
    await controller.reread()
    expectSaid(controller, `Request ${shown.id} is closed: it was denied.`)
    expect(await request(next.id)).toMatchObject({ status: 'open' })
  })
})

describe('a question of an agent', () => {
  test('is shown with its answers to choose from', async () => {
    await joins('backend-1', 'Choose a database')
    await asks('backend-1', 'Which database?', ['Postgres', 'SQLite'])
    const controller = await openController(fixture)
    controller.press('w')
    expect(sheetOf(controller.state())?.title).toBe('backend-1 asks a question')
    expect(texts(controller)).toEqual([
      'agent         backend-1, implementer',
      'task          1 Choose a database',
      `asked         ${clockTime(now)}, 0s ago`,
      'expires       in 10m00; then the agent decides',
      '',
      'Question',
      'Which database?',
      '1. Postgres',
      '2. SQLite',
    ])
    expect(answersTo(shownRequest(controller.state()))).toBe(
      '1–2 choose   enter answer in words   n let the agent decide   esc back',
    )
  })

  test('is answered with the text of the form that enter opens', async () => {
    await joins('backend-1', 'Name it')
    const { id } = await asks('backend-1', 'What is it called?')
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('enter')
    const { overlay } = controller.state().view
    expect(overlay).toMatchObject({
      kind: 'form',
      form: { title: 'Answer: What is it called?', request: id, fields: [{ label: 'Answer', value: '' }] },
    })
    controller.press('enter')
    expect(controller.notice()).toBe('The answer is empty. Enter an answer.')
    expect(controller.mode()).toBe('form')
    await expectUntouched(id)
    controller.press(...'any y ')
    paste(controller, 'corner\nshop')
    controller.press('enter')
    expect(controller.mode()).toBe('list')
    expect(await answered(id)).toMatchObject({ status: 'answered', answer: 'any y corner shop', answeredBy: 'human' })
    await eventually(() => expect(controller.notice()).toBe('Answered backend-1: any y corner shop'))
  })

  test('with answers to choose from is answered by one of them', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?', ['Postgres', 'SQLite'])
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('enter')
    controller.press('right', 'right', 'enter')
    expect(await answered(id)).toMatchObject({ status: 'answered', answer: 'SQLite' })
    await eventually(() => expect(controller.notice()).toBe('Answered backend-1: SQLite'))
  })

  test('with answers to choose from is answered by the number of one of them', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?', ['Postgres', 'SQLite'])
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('3')
    expect(controller.notice()).toBe('Choose an answer from 1 to 2.')
    await expectUntouched(id)
    controller.press('2', '2')
    expect(await answered(id)).toMatchObject({ status: 'answered', answer: 'SQLite' })
    await eventually(() => expect(controller.notice()).toBe('Answered backend-1: SQLite'))
  })

  test('with answers to choose from is answered by a number in the inbox as well', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?', ['Postgres', 'SQLite'])
    const controller = await openController(fixture)
    controller.press('W')
    controller.press('1')
    expect(controller.notice()).toBe('This item was selected just now. Read it, then press the key again.')
    now = later(now, 5000)
    controller.press('1')
    expect(await answered(id)).toMatchObject({ status: 'answered', answer: 'Postgres' })
  })

  test('without answers to choose from is not answered by a number', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?')
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('1')
    expect(controller.notice()).toBe('This request has no numbered answers.')
    await expectUntouched(id)
  })

  test('with answers to choose from is not answered by enter alone', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?', ['Postgres', 'SQLite'])
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('enter')
    controller.press('enter')
    expect(controller.notice()).toBe('Choose an answer with ← →, or type your own.')
    expect(controller.mode()).toBe('form')
    await expectUntouched(id)
  })

  test('that expired is left to its agent', async () => {
    await joins('backend-1', 'Choose a database')
    const { id, expiresAt } = await asks('backend-1', 'Which database?')
    const controller = await openController(fixture)
    controller.press('w')
    now = expiresAt!
    await perform(core, settleRequest, { requestId: id }, system())
    await controller.reread()
    expect(texts(controller)[0]).toBe('expired: the agent decides')
    controller.press('enter')
    expect(controller.notice()).toBe(`Request ${id} is closed: it was not answered in time, so the agent decides.`)
  })

  test('with answers to choose from is answered by other words as well', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?', ['Postgres', 'SQLite'])
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('enter')
    controller.press('left', 'enter')
    expect(controller.notice()).toBe('The answer is empty. Enter an answer.')
    controller.press('tab', ...'neither', 'enter')
    expect(await answered(id)).toMatchObject({ status: 'answered', answer: 'neither' })
  })

  test('is left to the agent by n', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?')
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('n')
    expect(controller.mode()).toBe('list')
    expect(await answered(id)).toMatchObject({
      status: 'answered',
      answer: 'The person left the decision to you. Decide, or fail the task.',
    })
    await eventually(() => expect(controller.notice()).toBe('backend-1 decides.'))
  })

  test('is not answered by the keys that allow a permission', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?')
    const controller = await openController(fixture)
    controller.press('w')
    for (const key of ['y', 'a']) {
      controller.tell('')
      controller.press(key)
      expect([key, controller.notice(), controller.mode()]).toEqual([
        key,
        `Request ${id} is a question. Answer it in words.`,
        'request',
      ])
    }
    await expectUntouched(id)
  })

  test('is still open when the form is left with esc', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?')
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('enter')
    controller.press(...'Post', 'escape')
    expect(controller.mode()).toBe('request')
    expect(shownRequest(controller.state())?.id).toBe(id)
    await expectUntouched(id)
  })

  test('that has ended when the form is submitted says so', async () => {
    const taskId = await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?')
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('enter')
    await perform(core, cancelTask, { taskId }, person)
    await controller.reread()
    controller.press(...'Postgres', 'enter')
    await eventually(() =>
      expect(controller.notice()).toBe(`Request ${id} is closed: it was withdrawn when its attempt ended.`),
    )
    expect(await request(id)).toMatchObject({ status: 'withdrawn', answer: null })
  })
})

describe('a denial of a CLI', () => {
  test('is shown, but the agent has continued: y says so, and enter does not answer', async () => {
    const id = await wasDenied({ tool: 'Bash', about: 'npm publish' })
    const controller = await openController(fixture)
    expect(taskRowOf(controller, 1)).toMatchObject({ state: 'waiting', asks: true })
    expect(controller.state().board.attention.map(({ evidence }) => evidence)).toEqual([
      'for task 1; its CLI already denied it, and the agent has ended; always allows shell(npm publish)',
    ])
    controller.press('w')
    expect(sheetOf(controller.state())?.title).toBe(`${id} was denied a tool`)
    expect(texts(controller)).toEqual([
      `agent         ${id}, implementer`,
      'task          1 Deploy',
      'tool          Bash',
      `asked         ${clockTime(now)}, 0s ago`,
      'a allows      shell(npm publish)',
      '',
      'Details',
      'npm publish',
    ])
    expect(answersTo(shownRequest(controller.state()))).toBe('n leave it   a always: shell(npm publish)   esc back')
    controller.press('y')
    expect(controller.notice()).toBe('The CLI already denied it and continued. Press a to allow it from now on.')
    controller.press('enter')
    expect(controller.notice()).toBe('Request 1 asks for permission. Allow or deny it.')
    expect(controller.mode()).toBe('request')
    await expectUntouched(1)
  })

  test('is always allowed from now on by a', async () => {
    await wasDenied({ tool: 'Bash', about: 'npm publish' })
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('a')
    expect(await answered(1)).toMatchObject({ status: 'allowed', answer: 'always' })
    await eventually(() =>
      expect(fixture.world.wishes).toEqual([
        { kind: 'allow_rule', personaId: 'implementer', rule: 'shell(npm publish)' },
      ]),
    )
  })

  test('is left unchanged by n', async () => {
    const id = await wasDenied({ tool: 'Bash', about: 'npm publish' })
    const controller = await openController(fixture)
    expect(rowOf(controller, id)).toMatchObject({ task: 'denied Bash' })
    controller.press('w')
    controller.press('n')
    expect(await answered(1)).toMatchObject({ status: 'denied', answer: 'deny' })
    await eventually(() => expect(controller.notice()).toBe('Nothing changed.'))
    await controller.reread()
    expect(taskRowOf(controller, 1)).toMatchObject({ asks: false })
    expect(fixture.world.wishes).toEqual([])
  })

  test('is opened by enter on its agent, even if that has ended', async () => {
    await joins('backend-1', 'Test')
    const denied = await wasDenied({ tool: 'Bash', about: 'npm publish' })
    const controller = await openController(fixture)
    controller.press('2', 'G', 'enter')
    expect(controller.state().view.agent).toBe(denied)
    expect(shownRequest(controller.state())).toMatchObject({ kind: 'denial', agentId: denied })
  })

  test('comes after the request that its agent waits for', async () => {
    await joins('backend-1', 'Test')
    await wasDenied({ tool: 'Bash', about: 'npm publish' })
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const state = (await openController(fixture)).state()
    const ofOne = state.board.requests.map((one) => ({ ...one, agentId: 'backend-1' }))
    expect(ofOne.map(({ kind }) => kind)).toEqual(['denial', 'permission'])
    expect(openRequestOf({ ...state, board: { ...state.board, requests: ofOne } }, 'backend-1')?.id).toBe(id)
    expect(openRequestOf({ ...state, board: { ...state.board, requests: ofOne.slice(0, 1) } }, 'backend-1')?.kind).toBe(
      'denial',
    )
  })

  test('that no rule can describe offers no key to allow it once', async () => {
    await wasDenied({ tool: 'Bash', about: 'npm test && npm publish' })
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('a')
    expect(controller.notice()).toContain('No rule can describe this')
    expect(controller.notice()).not.toContain('allow it once')
  })
})

describe('keys in quick succession', () => {
  test.each([
    ['y', 'allowed'],
    ['a', 'allowed'],
    ['n', 'denied'],
  ])('answer only the request that is shown: %s twice', async (key, status) => {
    await joins('backend-1', 'Lower the limit')
    await joins('backend-2', 'Test')
    const first = await asksFor('backend-1', 'Edit', edit)
    const second = await asksFor('backend-2', 'Bash', { command: 'npm run build' })
    const controller = await openController(fixture)
    controller.press('4')
    controller.press('w')
    controller.press(key, key)
    expect((await answered(first.id)).status).toBe(status)
    expect(await request(second.id)).toMatchObject({ status: 'open', answer: null })
    expect(fixture.world.wishes).toHaveLength(key === 'a' ? 1 : 0)
    await controller.reread()
    controller.press('escape', 'w')
    expect(shownRequest(controller.state())?.id).toBe(second.id)
  })

  test('deny once with n twice, and do nothing else', async () => {
    await joins('backend-1', 'Lower the limit')
    await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('n', 'n')
    expect(controller.mode()).toBe('list')
  })

  test('do not answer a request that appeared with the previous key', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    for (const keys of ['wy', 'wa', 'wn', 'wyy']) {
      controller.press(...keys)
      expect(controller.mode()).toBe('request')
      controller.press('escape')
    }
    for (const key of ['y', 'a', 'n']) {
      controller.press('2', 'enter', key)
      expect(controller.mode()).toBe('request')
      controller.press('escape')
    }
    await expectUntouched(id)
  })

  test('do not continue from one request into the next', async () => {
    await joins('backend-1', 'Lower the limit')
    await joins('backend-2', 'Test')
    const first = await asksFor('backend-1', 'Edit', edit)
    const second = await asksFor('backend-2', 'Bash', { command: 'rm -rf build' })
    const controller = await openController(fixture)
    controller.press('4')
    controller.press('w')
    controller.press('y', 'w', 'y')
    expect((await answered(first.id)).status).toBe('allowed')
    expect(shownRequest(controller.state())?.id).toBe(second.id)
    await expectUntouched(second.id)
  })

  test('answer once if they were pressed twice before the board was read again', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('y')
    controller.press('w')
    controller.press('n')
    await eventually(() => expect(controller.notice()).toBe(`Request ${id} is closed: it was allowed.`))
    expect(await request(id)).toMatchObject({ status: 'allowed', answer: 'allow' })
  })

  test('do not answer a question before its form could be read', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Drop the database?', ['Yes', 'No'])
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('enter', 'enter')
    await expectUntouched(id)
  })
})

describe('with several requests', () => {
  test('w moves in a circle', async () => {
    const task = await joins('backend-1', 'Lower the limit')
    await joins('backend-2', 'Choose a database')
    const ids = [(await asksFor('backend-1', 'Edit', edit)).id, (await asks('backend-2', 'Which database?')).id]
    const controller = await openController(fixture)
    const seen: unknown[] = []
    controller.press('4')
    for (let n = 0; n < 4; n++) {
      controller.press('w')
      seen.push(shownRequest(controller.state())?.id)
      controller.press('escape')
    }
    expect(seen).toEqual([...ids, ...ids])
    // The row is selected, and the person is where they were.
    expect(controller.state().view).toMatchObject({ pane: 'worktrees', about: 'worktrees', agent: 'backend-2' })
    expect(task).toBe(1)
    await expectUntouched(...ids)
  })

  test('w continues from the requests of agents to other items', async () => {
    await fixture.addWorktree('user-auth')
    await fixture.makeReady('user-auth')
    await joins('backend-1', 'Lower the limit')
    await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('4')
    controller.press('w')
    expect(controller.state().view).toMatchObject({ pane: 'agents', agent: 'backend-1' })
    controller.press('escape', 'w')
    expect(controller.state().view).toMatchObject({ pane: 'worktrees', worktree: 'user-auth' })
  })

  test('w shows the request of the selected task first', async () => {
    await joins('backend-1', 'Lower the limit')
    await joins('backend-2', 'Choose a database')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    await asks('backend-2', 'Which database?')
    const controller = await openController(fixture)
    expect(controller.state().view).toMatchObject({ about: 'board', task: 1 })
    controller.press('w')
    expect(shownRequest(controller.state())?.id).toBe(id)
  })

  test('w reaches every request, even if an agent has several', async () => {
    await joins('backend-1', 'Lower the limit')
    await joins('backend-2', 'Choose a database')
    const ids = [
      (await asksFor('backend-1', 'Edit', edit)).id,
      (await asksFor('backend-1', 'Bash', { command: 'npm test' })).id,
      (await asks('backend-2', 'Which database?')).id,
    ]
    const controller = await openController(fixture)
    const seen: unknown[] = []
    controller.press('4')
    for (let n = 0; n < 4; n++) {
      controller.press('w')
      seen.push(shownRequest(controller.state())?.id)
      controller.press('escape')
    }
    expect(seen).toEqual([...ids, ids[0]])
  })

  test('w alternates between requests and stalled tasks, and an agent that waits for an answer is not shown as stalled too', async () => {
    for (const id of ['backend-1', 'backend-2'])
      await perform(core, startTask, { taskId: await joins(id, 'Test') }, agent(id))
    now = later(now, 60 * minute)
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    const seen: unknown[] = []
    for (let n = 0; n < 4; n++) {
      controller.press('w')
      seen.push(shownRequest(controller.state())?.id ?? controller.notice())
      controller.press('escape')
    }
    expect(seen).toEqual([id, 'task 2 shows no progress', id, 'task 2 shows no progress'])
  })

  test('enter on an agent opens the oldest of its own requests', async () => {
    await joins('backend-1', 'Lower the limit')
    await joins('backend-2', 'Choose a database')
    await asksFor('backend-1', 'Edit', edit)
    const { id } = await asks('backend-2', 'Which database?')
    await asks('backend-2', 'Which port?')
    const controller = await openController(fixture)
    controller.press('2', 'j', 'enter')
    expect(controller.state().view.agent).toBe('backend-2')
    expect(shownRequest(controller.state())?.id).toBe(id)
    controller.press('escape', 'enter')
    expect(shownRequest(controller.state())?.id).toBe(id)
  })

  test('enter on an agent without requests opens the agent', async () => {
    await joins('backend-1', 'Lower the limit')
    await joins('backend-2', 'Choose a database')
    await asksFor('backend-1', 'Edit', edit)
    const controller = await openController(fixture)
    controller.press('2', 'j', 'enter')
    expect(controller.mode()).toBe('detail')
  })
})

describe('the row', () => {
  test('of an agent shows its request, the answer, and whether the agent knows it', async () => {
    await joins('backend-1', 'Test')
    const { id } = await asksFor('backend-1', 'Bash', { command: 'npm test' })
    const controller = await openController(fixture)
    expect(rowOf(controller, 'backend-1')).toEqual({ state: 'asking', task: 'asks Bash: npm test' })
    controller.press('w')
    controller.press('y')
    await answered(id)
    await controller.reread()
    expect(rowOf(controller, 'backend-1')).toEqual({ state: 'active', task: 'allowed Bash …' })
    await perform(core, settleRequest, { requestId: id }, system())
    await controller.reread()
    expect(rowOf(controller, 'backend-1')).toEqual({ state: 'active', task: 'allowed Bash ✓' })
    now = later(now, minute + 1)
    await controller.reread()
    expect(rowOf(controller, 'backend-1')).toEqual({ state: 'active', task: '1' })
  })

  test('of an agent drops the answer after a minute, even if the board is not read again', async () => {
    await joins('backend-1', 'Test')
    const { id } = await asksFor('backend-1', 'Bash', { command: 'npm test' })
    await answerElsewhere(id, 'allow')
    const controller = await openController(fixture)
    const seconds = (n: number): void =>
      controller.change(secondPassed(later(now, n * 1000), controller.state().supervisor))
    seconds(60)
    expect(rowOf(controller, 'backend-1').task).toBe('allowed Bash …')
    seconds(61)
    expect(rowOf(controller, 'backend-1').task).toBe('1')
  })

  test('of an agent shows that its request was denied or answered in words', async () => {
    await joins('backend-1', 'Test')
    const denied = await asksFor('backend-1', 'Bash', { command: 'npm test' })
    const controller = await openController(fixture)
    controller.press('w')
    controller.press('n')
    await answered(denied.id)
    await controller.reread()
    expect(rowOf(controller, 'backend-1').task).toBe('denied Bash …')
    const question = await asks('backend-1', 'Which port?')
    await controller.reread()
    expect(rowOf(controller, 'backend-1')).toEqual({ state: 'asking', task: 'asks: Which port?' })
    controller.press('w')
    controller.press('enter')
    controller.press(...'8080', 'enter')
    await answered(question.id)
    await perform(core, settleRequest, { requestId: question.id }, system())
    await controller.reread()
    expect(rowOf(controller, 'backend-1')).toEqual({ state: 'active', task: 'answered ✓' })
  })

  test('of an agent shows that its request expired', async () => {
    await joins('backend-1', 'Test')
    const { id, expiresAt } = await asksFor('backend-1', 'Bash', { command: 'npm test' })
    now = expiresAt!
    await perform(core, settleRequest, { requestId: id }, system())
    const controller = await openController(fixture)
    expect(rowOf(controller, 'backend-1')).toEqual({ state: 'active', task: 'expired ✓' })
  })

  test('of an agent shows the latest answer, not the highest number', async () => {
    await joins('backend-1', 'Test')
    const first = await asksFor('backend-1', 'Bash', { command: 'npm test' })
    const second = await asksFor('backend-1', 'Edit', edit)
    await answerElsewhere(second.id, 'deny')
    now = later(now, 1000)
    await answerElsewhere(first.id, 'allow')
    const controller = await openController(fixture)
    expect(rowOf(controller, 'backend-1').task).toBe('allowed Bash …')
  })

  test('of a task shows that its agent asks, until the answer', async () => {
    const taskId = await joins('backend-1', 'Test')
    const other = await joins('backend-2', 'Choose a database')
    const { id } = await asksFor('backend-1', 'Bash', { command: 'npm test' })
    const controller = await openController(fixture)
    expect(taskRowOf(controller, taskId)).toEqual({ state: 'asks', says: 'needs you', asks: true })
    expect(taskRowOf(controller, other)).toEqual({ state: 'claimed', says: 'claimed', asks: false })
    await answerElsewhere(id, 'allow')
    await asks('backend-2', 'Which database?')
    await controller.reread()
    expect(taskRowOf(controller, taskId)).toEqual({ state: 'claimed', says: 'claimed', asks: false })
    expect(taskRowOf(controller, other)).toEqual({ state: 'asks', says: 'needs you', asks: true })
  })
})

describe("the text of an agent's request", () => {
  const hidden = { command: 'npm test\u0001\u200b\u202e # gpj.exe' }

  test('reaches no terminal as a control character, and hidden characters are spelled out', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Bash', hidden)
    const controller = await openController(fixture)
    expect(rowOf(controller, 'backend-1').task).toBe('asks Bash: npm test⟨0001⟩⟨200B⟩⟨202E⟩ # gpj.exe')
    controller.press('w')
    expect(texts(controller)).toContain('npm test⟨0001⟩⟨200B⟩⟨202E⟩ # gpj.exe')
  })

  test('keeps its line breaks', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Bash', { command: 'npm test\nrm -rf build' })
    const controller = await openController(fixture)
    controller.press('w')
    expect(texts(controller)).toEqual(expect.arrayContaining(['npm test', 'rm -rf build']))
  })

  test('is visible before a carriage return', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Bash', { command: 'rm -rf ~ #\rnpm test' })
    const controller = await openController(fixture)
    controller.press('w')
    expect(texts(controller).join('\n')).toContain('rm -rf ~')
  })

  test('is visible inside an escape sequence', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Bash', { command: 'echo \u001b]; rm -rf ~ #\u0007 npm test' })
    const controller = await openController(fixture)
    controller.press('w')
    expect(texts(controller).join('\n')).toContain('rm -rf ~')
  })

  test('is visible inside a change', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Edit', { file_path: 'a.js', old_string: 'a()', new_string: 'evil()\ra()' })
    const controller = await openController(fixture)
    controller.press('w')
    expect(texts(controller).join('\n')).toContain('evil()')
  })

  test('is visible in the name of the tool', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Read\u001b]; Bash\u0007', { path: 'a.js' })
    const controller = await openController(fixture)
    controller.press('w')
    expect(texts(controller)).toContain('tool          Read⟨001B⟩]; Bash⟨0007⟩')
  })

  test('of an edit is shown even if both sides are equal', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Edit', { file_path: 'a.js', old_string: 'a()', new_string: 'b()', also: 'b()' })
    const controller = await openController(fixture)
    controller.press('w')
    expect(texts(controller).slice(-5)).toEqual(['', 'Input', '{', '  "also": "b()"', '}'])
  })

  test('of an edit is shown together with its other fields', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Edit', { ...edit, replace_all: true })
    const controller = await openController(fixture)
    controller.press('w')
    expect(texts(controller).join('\n')).toContain('replace_all')
  })
})

describe('a request on the screen', () => {
  let screen: Screen

  afterEach(() => screen.close())

  test("covers the panes, and its receipt is in the agent's row", async () => {
    await joins('backend-1', 'Lower the limit')
    screen = openScreen(fixture, { columns: 200 })
    await screen.shows('backend-1')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    await screen.shows(/⚑ +1 .*\? needs you .*backend-1 .*Lower the limit/)
    await screen.shows(/\? backend-1 .*asks Edit: src\/limit\.ts/)
    await screen.shows('⚑ 1 needs you')
    await screen.press('w')
    await screen.shows('backend-1 asks for permission')
    for (const words of ['src/limit.ts', '-const limit = 5', '-const retries = 1', '+const limit = 3', 'y allow once'])
      expect(screen.text()).toContain(words)
    await screen.press('\r')
    await screen.shows(`Request ${id} asks for permission. Allow or deny it.`)
    await expectUntouched(id)
    await screen.press('y')
    await screen.shows('Allowed backend-1 to use Edit once.')
    await screen.shows(/● backend-1 .*allowed Edit …/)
    await perform(core, settleRequest, { requestId: id }, system())
    await screen.shows(/● backend-1 .*allowed Edit ✓/)
    await screen.lacks('1 needs you')
  })

  test('separates its key hints from each other', async () => {
    await joins('backend-1', 'Lower the limit')
    await asksFor('backend-1', 'Edit', edit)
    screen = openScreen(fixture)
    await screen.shows('⚑ 1 needs you')
    await screen.press('w')
    await screen.shows('y allow once')
    expect(screen.text()).toContain('y allow once   n deny   N in words   a always: edit   esc back')
  })

  test('is shown, and not answered, by w and y in one piece', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    screen = openScreen(fixture)
    await screen.shows('⚑ 1 needs you')
    await screen.press('wy')
    await screen.shows('backend-1 asks for permission')
    await expectUntouched(id)
    await screen.press('yy')
    expect((await answered(id)).status).toBe('allowed')
  })

  test('that is a question is answered in a form with its text', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?', ['Postgres', 'SQLite'])
    screen = openScreen(fixture)
    await screen.shows('⚑ 1 needs you')
    await screen.press('w')
    await screen.shows('backend-1 asks a question')
    await screen.press('\r')
    await screen.shows('Answer: Which database?')
    await screen.press('\t', 'DuckDB', '\r')
    await screen.shows('Answered backend-1: DuckDB')
    expect(await request(id)).toMatchObject({ status: 'answered', answer: 'DuckDB' })
  })

  test('that is a question longer than its form is scrolled in it during the answer', async () => {
    await joins('backend-1', 'Choose a database')
    const lines = Array.from(
      { length: 12 },
      (_, n) => `${n + 1}. what speaks for it, and what against it, in a sentence that is not short`,
    )
    await asks('backend-1', `Which database?\n${lines.join('\n')}`, [
      'Postgres, as the other services have it, with a schema of its own',
      'SQLite',
    ])
    screen = openScreen(fixture, { columns: 60, rows: 15 })
    await screen.shows('1 needs you')
    await screen.press('w')
    await screen.shows('backend-1 asks a question')
    await screen.press('\r')
    await screen.shows(/\[Answer\].* 1–\d+ of 25, pgdn for more[^]*│ Which database\?/)
    await screen.shows(/choose: Postgres, as the other services +│\n│ +have it, with a schema of its own, SQLite/)
    await screen.press(...Array.from({ length: 12 }, () => '\u001b[6~'))
    await screen.shows('–25 of 25')
    await screen.shows('12. what speaks for it')
    // One page back leaves the end, however often the key was pressed there.
    await screen.press('\u001b[5~')
    await screen.lacks('–25 of 25')
    await screen.press('\u001b[C', '\u001b[C', '\r')
    await screen.shows('Answered backend-1: SQLite')
  })

  test('shows an answer to choose completely', async () => {
    await joins('backend-1', 'Choose a database')
    await asks('backend-1', 'Which database?', ['SQLite\u001b]; drop the other\u0007'])
    screen = openScreen(fixture)
    await screen.shows('⚑ 1 needs you')
    await screen.press('w')
    await screen.shows('1. SQLite⟨001B⟩]; drop the other⟨0007⟩')
    await screen.press('\r', '\u001b[C')
    await screen.shows('◂ SQLite⟨001B⟩]; drop the other⟨0007⟩ ▸')
  })

  test('shows that it was answered elsewhere', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    screen = openScreen(fixture)
    await screen.shows('⚑ 1 needs you')
    await screen.press('w')
    await screen.shows('y allow once')
    await answerElsewhere(id, 'deny')
    await screen.shows(/ … denied +esc back/)
    await screen.press('y')
    await screen.shows(`Request ${id} is closed: it was denied.`)
    expect(await request(id)).toMatchObject({ status: 'denied', answer: 'deny' })
  })

  test('sends no control sequence of an agent to the terminal', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Bash', {
      command: 'npm test \u001b]52;c;aGk=\u0007\u001b[2J\u009b2J',
      '\u001b]0;key\u0007': '\u001b]0;value\u0007',
    })
    screen = openScreen(fixture)
    await screen.shows('⚑ 1 needs you')
    await screen.press('w')
    await screen.shows('backend-1 asks for permission')
    await screen.shows('npm test')
    for (const sequence of ['\u001b]52', '\u001b]0;', '\u009b']) expect(screen.written.join('')).not.toContain(sequence)
  })
})
