import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Actor, person, system } from '../../src/domain/actor.ts'
import { clockTime, instant, type Instant, later } from '../../src/domain/time.ts'
import { writeRule } from '../../src/effects/allow-rules.ts'
import { answerRequest } from '../../src/operations/answer-request.ts'
import { askHuman } from '../../src/operations/ask-human.ts'
import { cancelTask } from '../../src/operations/cancel-task.ts'
import { claimTask } from '../../src/operations/claim-task.ts'
import type { Core } from '../../src/operations/kernel/core.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import type { RequestView } from '../../src/operations/kernel/requests.ts'
import { listRequests } from '../../src/operations/list-requests.ts'
import { recordLaunch } from '../../src/operations/record-launch.ts'
import { registerAgent } from '../../src/operations/register-agent.ts'
import { requestPermission } from '../../src/operations/request-permission.ts'
import { settleRequest } from '../../src/operations/settle-request.ts'
import { settleRun } from '../../src/operations/settle-run.ts'
import { spawnAgent } from '../../src/operations/spawn-agent.ts'
import { startTask } from '../../src/operations/start-task.ts'
import { secondPassed } from '../../src/ui/arrivals.ts'
import { paste } from '../../src/ui/dispatch.ts'
import { answersTo } from '../../src/ui/request-sheet.ts'
import { openRequestOf, shownRequest } from '../../src/ui/request.ts'
import { agentRow, boardRow } from '../../src/ui/rows.ts'
import { sheetOf } from '../../src/ui/sheets.ts'
import { eventually } from '../support/eventually.ts'
import { openDesk, type TestDesk } from './desk.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { openScreen, type Screen } from './screen.ts'

const minute = 60_000

let fixture: Fixture
let core: Core
/** What the clock says; only a test moves it. */
let now: Instant

beforeEach(async () => {
  const real = await openFixture()
  // A whole second behind all that the fixture has done by the real clock.
  now = instant(Math.ceil(Date.now() / 1000) * 1000 + 1000)
  core = { ...real.core, clock: () => now }
  fixture = { ...real, core, connection: { ...real.connection, core } }
})

afterEach(() => fixture.close())

const agent = (id: string): Actor => ({ kind: 'agent', id, role: 'worker', worktree: null })

/** An agent that has taken up a task of its own; gives the task's number. */
const joins = async (id: string, title: string): Promise<number> => {
  const taskId = await fixture.addTask(title)
  await perform(core, registerAgent, { id, personaId: 'implementer' }, person)
  await perform(core, claimTask, { taskId }, agent(id))
  return taskId
}

const asksFor = (id: string, toolName: string, input: Record<string, string | number | boolean>): Promise<RequestView> =>
  perform(core, requestPermission, { toolName, input }, agent(id))

const asks = (id: string, question: string, options: string[] = []): Promise<RequestView> => perform(core, askHuman, { question, options }, agent(id))

/** A run of an agent of ours whose CLI by itself did not allow something; gives the agent. */
const wasDenied = async (...denied: { tool: string; about: string }[]): Promise<string> => {
  const taskId = await fixture.addTask('Deploy')
  const { id } = await perform(core, spawnAgent, { personaId: 'implementer', taskId }, person)
  await perform(core, recordLaunch, { agentId: id, run: 1, pid: 1, startedAt: '1', bootId: 'boot', startsTask: true }, system())
  await perform(core, settleRun, { agentId: id, run: 1, exitCode: 1, verdict: { kind: 'failed', error: 'not allowed' }, denied }, system())
  return id
}

const edit = { file_path: 'src/limit.ts', old_string: 'const limit = 5\nconst retries = 1', new_string: 'const limit = 3' }

/** Every request as the database has it, once all that was asked of it before is done. */
const requests = async (): Promise<RequestView[]> => {
  await core.store.write(async () => {})
  return perform(core, listRequests, { all: true }, person)
}

const request = async (id: number): Promise<RequestView> => (await requests()).find((one) => one.id === id)!

/** What is asked once somebody has answered it. */
const answered = (id: number): Promise<RequestView> =>
  eventually(async () => {
    const one = await request(id)
    expect(one.status).not.toBe('open')
    return one
  })

/** Nobody answered anything, and no rule was written. */
const expectUntouched = async (...ids: readonly number[]): Promise<void> => {
  for (const id of ids) expect(await request(id)).toMatchObject({ status: 'open', answer: null, answeredBy: null })
  expect(fixture.world.wishes).toEqual([])
}

/** The lines of the sheet in front. */
const lines = (desk: TestDesk) => {
  const sheet = sheetOf(desk.state())
  return sheet === undefined ? [] : Array.from({ length: sheet.total }, (_, index) => sheet.line(index))
}

const texts = (desk: TestDesk): readonly string[] => lines(desk).map(({ text }) => text)

/** What its row in the list of agents says. */
const rowOf = (desk: TestDesk, id: string) => {
  const { board } = desk.state()
  const row = agentRow(
    board.agents.find((one) => one.id === id)!,
    now,
    undefined,
    board.requests,
    false,
  )
  return { state: row.state, task: row.task }
}

/** What its row on the board says. */
const taskRowOf = (desk: TestDesk, taskId: number) => {
  const { board } = desk.state()
  const row = boardRow(
    board.tasks.find(({ id }) => id === taskId)!,
    now,
    board.attention,
    false,
  )
  return { state: row.state, says: row.says, asks: row.asks }
}

const answerElsewhere = (requestId: number, verdict: 'allow' | 'deny') => perform(core, answerRequest, { requestId, verdict }, person)

describe('a permission', () => {
  test('is shown by w with the tool, the file, what goes, what comes and when it expires', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    desk.press('w')
    expect(desk.state().view).toMatchObject({ pane: 'agents', about: 'agents', agent: 'backend-1', overlay: { kind: 'request', request: id } })
    expect(sheetOf(desk.state())?.title).toBe('backend-1 asks for permission')
    expect(texts(desk)).toEqual([
      'agent         backend-1, implementer',
      'task          1 Lower the limit',
      'tool          Edit',
      `asked         ${clockTime(now)}, 0s ago`,
      'expires       in 10m00; then it counts as denied',
      'a allows      edit',
      '',
      'What it is about',
      'src/limit.ts',
      '',
      'Change',
      '-const limit = 5',
      '-const retries = 1',
      '+const limit = 3',
    ])
    expect(
      lines(desk)
        .slice(-3)
        .map(({ colour }) => colour),
    ).toEqual(['red', 'red', 'green'])
    expect(answersTo(shownRequest(desk.state()))).toBe('y allows it once   n denies   a always: edit   esc back')
    await expectUntouched(id)
  })

  test('of a command is shown with all that is passed with it', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Bash', { command: 'npm test -- --run', timeout: 9000 })
    const desk = await openDesk(fixture)
    desk.press('w')
    expect(texts(desk).slice(-9)).toEqual(['a allows      shell(npm test)', '', 'What it is about', 'npm test -- --run', '', 'Passed with it', '{', '  "timeout": 9000', '}'])
  })

  test('is given once by y', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('y')
    expect(desk.mode()).toBe('list')
    expect(await answered(id)).toMatchObject({ status: 'allowed', answer: 'allow', answeredBy: 'human', answeredAt: now })
    await eventually(() => expect(desk.notice()).toBe('backend-1 may use Edit this once.'))
    expect(fixture.world.wishes).toEqual([])
  })

  test('is denied by n', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('n')
    expect(desk.mode()).toBe('list')
    expect(await answered(id)).toMatchObject({ status: 'denied', answer: 'deny', answeredBy: 'human' })
    await eventually(() => expect(desk.notice()).toBe('backend-1 may not use Edit.'))
    expect(fixture.world.wishes).toEqual([])
  })

  test('is given for good by a, which writes a rule for the persona', async () => {
    await joins('backend-1', 'Test')
    const { id } = await asksFor('backend-1', 'Bash', { command: 'npm test -- --run' })
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('a')
    expect(desk.mode()).toBe('list')
    expect(await answered(id)).toMatchObject({ status: 'allowed', answer: 'always', answeredBy: 'human' })
    await eventually(() => expect(desk.notice()).toBe('shell(npm test) is allowed for implementer from now on; it stands in .aiswarm/config.yaml.'))
    expect(fixture.world.wishes).toEqual([{ kind: 'allow_rule', personaId: 'implementer', rule: 'shell(npm test)' }])
  })

  test.each([['agents:\n  personas:\n    implementer: claude # ours\n'], ['agents:\n  personas: # ours\nintegration:\n  target: main\n'], ['agents:\n  personas:\n    # ours\n']])(
    'is given for good without a word less in the configuration: %j',
    async (config) => {
      const path = join(fixture.folder, 'config.yaml')
      writeFileSync(path, config)
      fixture.world.carryOut = async (wish) => {
        if (wish.kind === 'allow_rule') writeRule(path, wish.personaId, wish.rule)
      }
      await joins('backend-1', 'Test')
      await asksFor('backend-1', 'Bash', { command: 'npm test' })
      const desk = await openDesk(fixture)
      desk.press('w')
      desk.press('a')
      await eventually(() => expect(readFileSync(path, 'utf8')).toContain('- shell(npm test)'))
      expect(readFileSync(path, 'utf8')).toContain('# ours')
    },
  )

  test('that no rule can describe is not given for good, and a says why', async () => {
    await joins('backend-1', 'Test')
    const { id } = await asksFor('backend-1', 'Bash', { command: 'npm test && npm publish' })
    const desk = await openDesk(fixture)
    desk.press('w')
    expect(texts(desk).some((line) => line.startsWith('a allows'))).toBe(false)
    expect(answersTo(shownRequest(desk.state()))).toBe('y allows it once   n denies   esc back')
    desk.press('a')
    expect(desk.notice()).toBe('No rule can describe this; allow it once, or deny it.')
    expect(desk.mode()).toBe('request')
    await expectUntouched(id)
  })

  test('is never given by enter, nor by any key but y and a', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    desk.press('2', 'enter')
    expect(desk.mode()).toBe('request')
    for (const press of ['enter', 'enter']) desk.press(press)
    expect(desk.notice()).toBe(`Request ${id} asks for permission; allow or deny it.`)
    for (const press of [' ', 'tab', 's', 'r', 'i', 'x', 'd', 'w', 'Y', 'A', 'p', '1', 'right', 'ctrl-d']) desk.press(press)
    paste(desk, 'y')
    expect(desk.mode()).toBe('request')
    await expectUntouched(id)
  })

  test('is left open by esc', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('escape')
    expect(desk.mode()).toBe('list')
    await expectUntouched(id)
  })

  test('that its persona has by a rule is not shown to anybody', async () => {
    core = { ...core, allowRules: () => ['shell(npm test)'] }
    fixture = { ...fixture, core, connection: { ...fixture.connection, core } }
    const taskId = await joins('backend-1', 'Test')
    expect(await asksFor('backend-1', 'Bash', { command: 'npm test' })).toMatchObject({ status: 'allowed', answeredBy: 'aiswarm' })
    const desk = await openDesk(fixture)
    expect(rowOf(desk, 'backend-1')).toEqual({ state: 'active', task: String(taskId) })
    desk.press('w')
    expect(desk.notice()).toBe('Nothing waits for you.')
    expect(desk.mode()).toBe('list')
  })
})

describe('a request that is over while it is shown', () => {
  const keys = ['y', 'n', 'a', 'enter']

  /** Presses every key that answers; each says the same and leaves the sheet where it is. */
  const expectSaid = (desk: TestDesk, sentence: string): void => {
    for (const key of keys) {
      desk.tell('')
      desk.press(key)
      expect([key, desk.notice(), desk.mode()]).toEqual([key, sentence, 'request'])
    }
  }

  test('because nobody answered in time counts as denied, whatever is pressed', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id, expiresAt } = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    desk.press('w')
    now = expiresAt!
    await perform(core, settleRequest, { requestId: id }, system())
    await desk.reread()
    expect(texts(desk).slice(0, 2)).toEqual(['nobody answered in time: denied', `told          ${clockTime(now)}`])
    expect(texts(desk).some((line) => line.startsWith('expires'))).toBe(false)
    expect(answersTo(shownRequest(desk.state()))).toBe('nobody answered in time: denied   esc back')
    expectSaid(desk, `Request ${id} is over: it was not answered in time and counts as denied.`)
    expect(await request(id)).toMatchObject({ status: 'expired', answer: null, answeredBy: 'aiswarm' })
    expect(fixture.world.wishes).toEqual([])
  })

  test('because somebody answered it elsewhere keeps their answer', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    desk.press('w')
    await answerElsewhere(id, 'deny')
    await desk.reread()
    expect(texts(desk)[0]).toBe('denied')
    expectSaid(desk, `Request ${id} is over: it was denied.`)
    expect(await request(id)).toMatchObject({ status: 'denied', answer: 'deny' })
    expect(fixture.world.wishes).toEqual([])
  })

  test('keeps the other answer also where the screen does not know of it yet', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    for (const key of ['y', 'a']) {
      desk.press('w')
      await answerElsewhere(id, 'deny').catch(() => {})
      desk.press(key)
      await eventually(() => expect(desk.notice()).toBe(`Request ${id} is over: it was denied.`))
      desk.tell('')
    }
    expect(await request(id)).toMatchObject({ status: 'denied', answer: 'deny' })
    expect(fixture.world.wishes).toEqual([])
  })

  test('because its attempt ended is withdrawn', async () => {
    const taskId = await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    desk.press('w')
    await perform(core, cancelTask, { taskId }, person)
    await desk.reread()
    expect(texts(desk)[0]).toBe('withdrawn: its attempt is over')
    expectSaid(desk, `Request ${id} is over: it was withdrawn when its attempt ended.`)
    expect(await request(id)).toMatchObject({ status: 'withdrawn', answer: null })
  })

  test('for more than a minute is gone, and the keys still say so', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    desk.press('w')
    await answerElsewhere(id, 'allow')
    now = later(now, minute + 1)
    await desk.reread()
    expect(sheetOf(desk.state())).toBeUndefined()
    expect(answersTo(shownRequest(desk.state()))).toBe('it is over   esc back')
    expectSaid(desk, 'The request is over; esc goes back.')
    expect(await request(id)).toMatchObject({ status: 'allowed', answer: 'allow' })
    desk.press('escape')
    expect(desk.mode()).toBe('list')
  })

  test('because its time is over is not answered any more, though nothing has noted that yet', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id, expiresAt } = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    for (const key of ['y', 'n', 'a']) {
      now = expiresAt!
      desk.press('w')
      desk.press(key)
      await eventually(() => expect(desk.notice()).toBe(`Nobody answered request ${id} in time, so it is over.`))
    }
    await expectUntouched(id)
  })

  test('is not mistaken for the next one of the same agent', async () => {
    await joins('backend-1', 'Lower the limit')
    const shown = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    desk.press('w')
    await answerElsewhere(shown.id, 'deny')
    const next = await asksFor('backend-1', 'Bash', { command: 'rm -rf build' })
    await desk.reread()
    expectSaid(desk, `Request ${shown.id} is over: it was denied.`)
    expect(await request(next.id)).toMatchObject({ status: 'open' })
  })
})

describe('a question', () => {
  test('is shown with its options', async () => {
    await joins('backend-1', 'Choose a database')
    await asks('backend-1', 'Which database?', ['Postgres', 'SQLite'])
    const desk = await openDesk(fixture)
    desk.press('w')
    expect(sheetOf(desk.state())?.title).toBe('backend-1 asks you')
    expect(texts(desk)).toEqual([
      'agent         backend-1, implementer',
      'task          1 Choose a database',
      `asked         ${clockTime(now)}, 0s ago`,
      'expires       in 10m00; then the agent decides by itself',
      '',
      'Question',
      'Which database?',
      '1. Postgres',
      '2. SQLite',
    ])
    expect(answersTo(shownRequest(desk.state()))).toBe('1–2 answers   enter answers in words   n leaves it to the agent   esc back')
  })

  test('is answered with the text of the form that enter opens', async () => {
    await joins('backend-1', 'Name it')
    const { id } = await asks('backend-1', 'What is it called?')
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('enter')
    const { overlay } = desk.state().view
    expect(overlay).toMatchObject({ kind: 'form', form: { title: 'Answer: What is it called?', request: id, fields: [{ label: 'Answer', value: '' }] } })
    desk.press('enter')
    expect(desk.notice()).toBe('An answer needs words.')
    expect(desk.mode()).toBe('form')
    await expectUntouched(id)
    desk.press(...'any y ')
    paste(desk, 'corner\nshop')
    desk.press('enter')
    expect(desk.mode()).toBe('list')
    expect(await answered(id)).toMatchObject({ status: 'answered', answer: 'any y corner shop', answeredBy: 'human' })
    await eventually(() => expect(desk.notice()).toBe('backend-1 is told: any y corner shop'))
  })

  test('with options is answered by one of them', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?', ['Postgres', 'SQLite'])
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('enter')
    desk.press('right', 'right', 'enter')
    expect(await answered(id)).toMatchObject({ status: 'answered', answer: 'SQLite' })
    await eventually(() => expect(desk.notice()).toBe('backend-1 is told: SQLite'))
  })

  test('with options is answered by the number of one of them', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?', ['Postgres', 'SQLite'])
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('3')
    expect(desk.notice()).toBe('There are only the answers 1 to 2.')
    await expectUntouched(id)
    desk.press('2', '2')
    expect(await answered(id)).toMatchObject({ status: 'answered', answer: 'SQLite' })
    await eventually(() => expect(desk.notice()).toBe('backend-1 is told: SQLite'))
  })

  test('with options is answered by a number in the inbox as well', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?', ['Postgres', 'SQLite'])
    const desk = await openDesk(fixture)
    desk.press('W')
    desk.press('1')
    expect(desk.notice()).toBe('This one has only just come under the cursor; press again once it is read.')
    now = later(now, 5000)
    desk.press('1')
    expect(await answered(id)).toMatchObject({ status: 'answered', answer: 'Postgres' })
  })

  test('without options is answered by no number', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?')
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('1')
    expect(desk.notice()).toBe('There are no answers with numbers here.')
    await expectUntouched(id)
  })

  test('with options is not answered by enter alone', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?', ['Postgres', 'SQLite'])
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('enter')
    desk.press('enter')
    expect(desk.notice()).toBe('Choose an answer with ← →, or type one of your own.')
    expect(desk.mode()).toBe('form')
    await expectUntouched(id)
  })

  test('that nobody answered in time is left to its agent', async () => {
    await joins('backend-1', 'Choose a database')
    const { id, expiresAt } = await asks('backend-1', 'Which database?')
    const desk = await openDesk(fixture)
    desk.press('w')
    now = expiresAt!
    await perform(core, settleRequest, { requestId: id }, system())
    await desk.reread()
    expect(texts(desk)[0]).toBe('nobody answered in time: the agent decides by itself')
    desk.press('enter')
    expect(desk.notice()).toBe(`Request ${id} is over: it was not answered in time, so its agent decides by itself.`)
  })

  test('with options is answered in other words as well', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?', ['Postgres', 'SQLite'])
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('enter')
    desk.press('left', 'enter')
    expect(desk.notice()).toBe('An answer needs words.')
    desk.press('tab', ...'neither', 'enter')
    expect(await answered(id)).toMatchObject({ status: 'answered', answer: 'neither' })
  })

  test('is left to the agent by n', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?')
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('n')
    expect(desk.mode()).toBe('list')
    expect(await answered(id)).toMatchObject({ status: 'answered', answer: 'The person does not want to decide this: decide by yourself, or fail the task.' })
    await eventually(() => expect(desk.notice()).toBe('backend-1 decides by itself.'))
  })

  test('is neither allowed nor allowed for good', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?')
    const desk = await openDesk(fixture)
    desk.press('w')
    for (const key of ['y', 'a']) {
      desk.tell('')
      desk.press(key)
      expect([key, desk.notice(), desk.mode()]).toEqual([key, `Request ${id} is a question; answer it with words.`, 'request'])
    }
    await expectUntouched(id)
  })

  test('is asked still when the form is left with esc', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?')
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('enter')
    desk.press(...'Post', 'escape')
    expect(desk.mode()).toBe('request')
    expect(shownRequest(desk.state())?.id).toBe(id)
    await expectUntouched(id)
  })

  test('that is over when the form is sent says so', async () => {
    const taskId = await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?')
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('enter')
    await perform(core, cancelTask, { taskId }, person)
    await desk.reread()
    desk.press(...'Postgres', 'enter')
    await eventually(() => expect(desk.notice()).toBe(`Request ${id} is over: it was withdrawn when its attempt ended.`))
    expect(await request(id)).toMatchObject({ status: 'withdrawn', answer: null })
  })
})

describe('what a CLI denied by itself', () => {
  test('is shown, but the agent has gone on: y says so, and enter is no answer', async () => {
    const id = await wasDenied({ tool: 'Bash', about: 'npm publish' })
    const desk = await openDesk(fixture)
    expect(taskRowOf(desk, 1)).toMatchObject({ state: 'waiting', asks: true })
    expect(desk.state().board.attention.map(({ evidence }) => evidence)).toEqual(['for task 1; its CLI has said no already, and it has ended; always allows shell(npm publish)'])
    desk.press('w')
    expect(sheetOf(desk.state())?.title).toBe(`${id} was not allowed something`)
    expect(texts(desk)).toEqual([
      `agent         ${id}, implementer`,
      'task          1 Deploy',
      'tool          Bash',
      `asked         ${clockTime(now)}, 0s ago`,
      'a allows      shell(npm publish)',
      '',
      'What it is about',
      'npm publish',
    ])
    expect(answersTo(shownRequest(desk.state()))).toBe('n leaves it   a always: shell(npm publish)   esc back')
    desk.press('y')
    expect(desk.notice()).toBe('It was denied by the CLI and has gone on; a allows it from now on.')
    desk.press('enter')
    expect(desk.notice()).toBe('Request 1 asks for permission; allow or deny it.')
    expect(desk.mode()).toBe('request')
    await expectUntouched(1)
  })

  test('is allowed from now on by a', async () => {
    await wasDenied({ tool: 'Bash', about: 'npm publish' })
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('a')
    expect(await answered(1)).toMatchObject({ status: 'allowed', answer: 'always' })
    await eventually(() => expect(fixture.world.wishes).toEqual([{ kind: 'allow_rule', personaId: 'implementer', rule: 'shell(npm publish)' }]))
  })

  test('is left as it was by n', async () => {
    const id = await wasDenied({ tool: 'Bash', about: 'npm publish' })
    const desk = await openDesk(fixture)
    expect(rowOf(desk, id)).toMatchObject({ task: 'not allowed Bash' })
    desk.press('w')
    desk.press('n')
    expect(await answered(1)).toMatchObject({ status: 'denied', answer: 'deny' })
    await eventually(() => expect(desk.notice()).toBe('Left as it was.'))
    await desk.reread()
    expect(taskRowOf(desk, 1)).toMatchObject({ asks: false })
    expect(fixture.world.wishes).toEqual([])
  })

  test('is opened by enter on its agent, though that has ended', async () => {
    await joins('backend-1', 'Test')
    const denied = await wasDenied({ tool: 'Bash', about: 'npm publish' })
    const desk = await openDesk(fixture)
    desk.press('2', 'G', 'enter')
    expect(desk.state().view.agent).toBe(denied)
    expect(shownRequest(desk.state())).toMatchObject({ kind: 'denial', agentId: denied })
  })

  test('comes behind what its agent waits for', async () => {
    await joins('backend-1', 'Test')
    await wasDenied({ tool: 'Bash', about: 'npm publish' })
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const state = (await openDesk(fixture)).state()
    const ofOne = state.board.requests.map((one) => ({ ...one, agentId: 'backend-1' }))
    expect(ofOne.map(({ kind }) => kind)).toEqual(['denial', 'permission'])
    expect(openRequestOf({ ...state, board: { ...state.board, requests: ofOne } }, 'backend-1')?.id).toBe(id)
    expect(openRequestOf({ ...state, board: { ...state.board, requests: ofOne.slice(0, 1) } }, 'backend-1')?.kind).toBe('denial')
  })

  test('and no rule can describe is not offered to be allowed once', async () => {
    await wasDenied({ tool: 'Bash', about: 'npm test && npm publish' })
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('a')
    expect(desk.notice()).toContain('No rule can describe this')
    expect(desk.notice()).not.toContain('allow it once')
  })
})

describe('keys that come fast', () => {
  test.each([
    ['y', 'allowed'],
    ['a', 'allowed'],
    ['n', 'denied'],
  ])('answer the request that is shown and no other: %s twice', async (key, status) => {
    await joins('backend-1', 'Lower the limit')
    await joins('backend-2', 'Test')
    const first = await asksFor('backend-1', 'Edit', edit)
    const second = await asksFor('backend-2', 'Bash', { command: 'npm run build' })
    const desk = await openDesk(fixture)
    desk.press('4')
    desk.press('w')
    desk.press(key, key)
    expect((await answered(first.id)).status).toBe(status)
    expect(await request(second.id)).toMatchObject({ status: 'open', answer: null })
    expect(fixture.world.wishes).toHaveLength(key === 'a' ? 1 : 0)
    await desk.reread()
    desk.press('escape', 'w')
    expect(shownRequest(desk.state())?.id).toBe(second.id)
  })

  test('n twice denies and does nothing else', async () => {
    await joins('backend-1', 'Lower the limit')
    await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('n', 'n')
    expect(desk.mode()).toBe('list')
  })

  test('do not answer what came up with the key before them', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    for (const keys of ['wy', 'wa', 'wn', 'wyy']) {
      desk.press(...keys)
      expect(desk.mode()).toBe('request')
      desk.press('escape')
    }
    for (const key of ['y', 'a', 'n']) {
      desk.press('2', 'enter', key)
      expect(desk.mode()).toBe('request')
      desk.press('escape')
    }
    await expectUntouched(id)
  })

  test('do not run on from one request into the next', async () => {
    await joins('backend-1', 'Lower the limit')
    await joins('backend-2', 'Test')
    const first = await asksFor('backend-1', 'Edit', edit)
    const second = await asksFor('backend-2', 'Bash', { command: 'rm -rf build' })
    const desk = await openDesk(fixture)
    desk.press('4')
    desk.press('w')
    desk.press('y', 'w', 'y')
    expect((await answered(first.id)).status).toBe('allowed')
    expect(shownRequest(desk.state())?.id).toBe(second.id)
    await expectUntouched(second.id)
  })

  test('that were pressed twice before the board was read again answer once', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('y')
    desk.press('w')
    desk.press('n')
    await eventually(() => expect(desk.notice()).toBe(`Request ${id} is over: it was allowed.`))
    expect(await request(id)).toMatchObject({ status: 'allowed', answer: 'allow' })
  })

  test('do not answer a question before its form could be read', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Drop the database?', ['Yes', 'No'])
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('enter', 'enter')
    await expectUntouched(id)
  })
})

describe('of several requests', () => {
  test('w goes round', async () => {
    const task = await joins('backend-1', 'Lower the limit')
    await joins('backend-2', 'Choose a database')
    const ids = [(await asksFor('backend-1', 'Edit', edit)).id, (await asks('backend-2', 'Which database?')).id]
    const desk = await openDesk(fixture)
    const seen: unknown[] = []
    desk.press('4')
    for (let n = 0; n < 4; n++) {
      desk.press('w')
      seen.push(shownRequest(desk.state())?.id)
      desk.press('escape')
    }
    expect(seen).toEqual([...ids, ...ids])
    expect(desk.state().view).toMatchObject({ about: 'agents', agent: 'backend-2' })
    expect(task).toBe(1)
    await expectUntouched(...ids)
  })

  test('w goes on from what agents ask to what else waits', async () => {
    await fixture.addWorktree('user-auth')
    await fixture.makeReady('user-auth')
    await joins('backend-1', 'Lower the limit')
    await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    desk.press('4')
    desk.press('w')
    expect(desk.state().view).toMatchObject({ pane: 'agents', agent: 'backend-1' })
    desk.press('escape', 'w')
    expect(desk.state().view).toMatchObject({ pane: 'worktrees', worktree: 'user-auth' })
  })

  test('w shows first what the selected task asks', async () => {
    await joins('backend-1', 'Lower the limit')
    await joins('backend-2', 'Choose a database')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    await asks('backend-2', 'Which database?')
    const desk = await openDesk(fixture)
    expect(desk.state().view).toMatchObject({ about: 'board', task: 1 })
    desk.press('w')
    expect(shownRequest(desk.state())?.id).toBe(id)
  })

  test('w gets to every one, also where an agent asks for several things', async () => {
    await joins('backend-1', 'Lower the limit')
    await joins('backend-2', 'Choose a database')
    const ids = [(await asksFor('backend-1', 'Edit', edit)).id, (await asksFor('backend-1', 'Bash', { command: 'npm test' })).id, (await asks('backend-2', 'Which database?')).id]
    const desk = await openDesk(fixture)
    const seen: unknown[] = []
    desk.press('4')
    for (let n = 0; n < 4; n++) {
      desk.press('w')
      seen.push(shownRequest(desk.state())?.id)
      desk.press('escape')
    }
    expect(seen).toEqual([...ids, ids[0]])
  })

  test('w goes from what asks to what shows no progress and back; who waits for an answer is not called idle as well', async () => {
    for (const id of ['backend-1', 'backend-2']) await perform(core, startTask, { taskId: await joins(id, 'Test') }, agent(id))
    now = later(now, 60 * minute)
    const { id } = await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    const seen: unknown[] = []
    for (let n = 0; n < 4; n++) {
      desk.press('w')
      seen.push(shownRequest(desk.state())?.id ?? desk.notice())
      desk.press('escape')
    }
    expect(seen).toEqual([id, 'task 2 shows no progress', id, 'task 2 shows no progress'])
  })

  test('enter on an agent opens the oldest of its own', async () => {
    await joins('backend-1', 'Lower the limit')
    await joins('backend-2', 'Choose a database')
    await asksFor('backend-1', 'Edit', edit)
    const { id } = await asks('backend-2', 'Which database?')
    await asks('backend-2', 'Which port?')
    const desk = await openDesk(fixture)
    desk.press('2', 'j', 'enter')
    expect(desk.state().view.agent).toBe('backend-2')
    expect(shownRequest(desk.state())?.id).toBe(id)
    desk.press('escape', 'enter')
    expect(shownRequest(desk.state())?.id).toBe(id)
  })

  test('enter on an agent that asks nothing opens the agent', async () => {
    await joins('backend-1', 'Lower the limit')
    await joins('backend-2', 'Choose a database')
    await asksFor('backend-1', 'Edit', edit)
    const desk = await openDesk(fixture)
    desk.press('2', 'j', 'enter')
    expect(desk.mode()).toBe('detail')
  })
})

describe('the rows', () => {
  test('of an agent say what it asks, how it was answered, and when it knows', async () => {
    await joins('backend-1', 'Test')
    const { id } = await asksFor('backend-1', 'Bash', { command: 'npm test' })
    const desk = await openDesk(fixture)
    expect(rowOf(desk, 'backend-1')).toEqual({ state: 'asking', task: 'asks Bash: npm test' })
    desk.press('w')
    desk.press('y')
    await answered(id)
    await desk.reread()
    expect(rowOf(desk, 'backend-1')).toEqual({ state: 'active', task: 'allowed Bash …' })
    await perform(core, settleRequest, { requestId: id }, system())
    await desk.reread()
    expect(rowOf(desk, 'backend-1')).toEqual({ state: 'active', task: 'allowed Bash ✓' })
    now = later(now, minute + 1)
    await desk.reread()
    expect(rowOf(desk, 'backend-1')).toEqual({ state: 'active', task: '1' })
  })

  test('of an agent lose the answer after a minute, also where the board is not read again', async () => {
    await joins('backend-1', 'Test')
    const { id } = await asksFor('backend-1', 'Bash', { command: 'npm test' })
    await answerElsewhere(id, 'allow')
    const desk = await openDesk(fixture)
    const seconds = (n: number): void => desk.change(secondPassed(later(now, n * 1000), desk.state().supervisor))
    seconds(60)
    expect(rowOf(desk, 'backend-1').task).toBe('allowed Bash …')
    seconds(61)
    expect(rowOf(desk, 'backend-1').task).toBe('1')
  })

  test('of an agent say that it was denied, and that it was told in words', async () => {
    await joins('backend-1', 'Test')
    const denied = await asksFor('backend-1', 'Bash', { command: 'npm test' })
    const desk = await openDesk(fixture)
    desk.press('w')
    desk.press('n')
    await answered(denied.id)
    await desk.reread()
    expect(rowOf(desk, 'backend-1').task).toBe('denied Bash …')
    const question = await asks('backend-1', 'Which port?')
    await desk.reread()
    expect(rowOf(desk, 'backend-1')).toEqual({ state: 'asking', task: 'asks: Which port?' })
    desk.press('w')
    desk.press('enter')
    desk.press(...'8080', 'enter')
    await answered(question.id)
    await perform(core, settleRequest, { requestId: question.id }, system())
    await desk.reread()
    expect(rowOf(desk, 'backend-1')).toEqual({ state: 'active', task: 'answered ✓' })
  })

  test('of an agent say that nobody answered it', async () => {
    await joins('backend-1', 'Test')
    const { id, expiresAt } = await asksFor('backend-1', 'Bash', { command: 'npm test' })
    now = expiresAt!
    await perform(core, settleRequest, { requestId: id }, system())
    const desk = await openDesk(fixture)
    expect(rowOf(desk, 'backend-1')).toEqual({ state: 'active', task: 'nobody answered ✓' })
  })

  test('of an agent say how the latest was answered, not the highest number', async () => {
    await joins('backend-1', 'Test')
    const first = await asksFor('backend-1', 'Bash', { command: 'npm test' })
    const second = await asksFor('backend-1', 'Edit', edit)
    await answerElsewhere(second.id, 'deny')
    now = later(now, 1000)
    await answerElsewhere(first.id, 'allow')
    const desk = await openDesk(fixture)
    expect(rowOf(desk, 'backend-1').task).toBe('allowed Bash …')
  })

  test('of a task say that somebody asks, until it is answered', async () => {
    const taskId = await joins('backend-1', 'Test')
    const other = await joins('backend-2', 'Choose a database')
    const { id } = await asksFor('backend-1', 'Bash', { command: 'npm test' })
    const desk = await openDesk(fixture)
    expect(taskRowOf(desk, taskId)).toEqual({ state: 'asks', says: 'asks you', asks: true })
    expect(taskRowOf(desk, other)).toEqual({ state: 'claimed', says: 'claimed', asks: false })
    await answerElsewhere(id, 'allow')
    await asks('backend-2', 'Which database?')
    await desk.reread()
    expect(taskRowOf(desk, taskId)).toEqual({ state: 'claimed', says: 'claimed', asks: false })
    expect(taskRowOf(desk, other)).toEqual({ state: 'asks', says: 'asks you', asks: true })
  })
})

describe('what an agent passes', () => {
  const hidden = { command: 'npm test\u0000\u200b\u202e # gpj.exe' }

  test('reaches no terminal as a control character, and what is hidden is spelt out', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Bash', hidden)
    const desk = await openDesk(fixture)
    expect(rowOf(desk, 'backend-1').task).toBe('asks Bash: npm test⟨0000⟩⟨200B⟩⟨202E⟩ # gpj.exe')
    desk.press('w')
    expect(texts(desk)).toContain('npm test⟨0000⟩⟨200B⟩⟨202E⟩ # gpj.exe')
  })

  test('is shown on lines of its own where it breaks lines', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Bash', { command: 'npm test\nrm -rf build' })
    const desk = await openDesk(fixture)
    desk.press('w')
    expect(texts(desk)).toEqual(expect.arrayContaining(['npm test', 'rm -rf build']))
  })

  test('is not hidden in front of a carriage return', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Bash', { command: 'rm -rf ~ #\rnpm test' })
    const desk = await openDesk(fixture)
    desk.press('w')
    expect(texts(desk).join('\n')).toContain('rm -rf ~')
  })

  test('is not hidden in an escape sequence', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Bash', { command: 'echo \u001b]; rm -rf ~ #\u0007 npm test' })
    const desk = await openDesk(fixture)
    desk.press('w')
    expect(texts(desk).join('\n')).toContain('rm -rf ~')
  })

  test('is not hidden in a change', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Edit', { file_path: 'a.js', old_string: 'a()', new_string: 'evil()\ra()' })
    const desk = await openDesk(fixture)
    desk.press('w')
    expect(texts(desk).join('\n')).toContain('evil()')
  })

  test('is not hidden in the name of the tool', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Read\u001b]; Bash\u0007', { path: 'a.js' })
    const desk = await openDesk(fixture)
    desk.press('w')
    expect(texts(desk)).toContain('tool          Read⟨001B⟩]; Bash⟨0007⟩')
  })

  test('with an edit is shown even where it says the same', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Edit', { file_path: 'a.js', old_string: 'a()', new_string: 'b()', also: 'b()' })
    const desk = await openDesk(fixture)
    desk.press('w')
    expect(texts(desk).slice(-5)).toEqual(['', 'Passed with it', '{', '  "also": "b()"', '}'])
  })

  test('with an edit besides its texts is shown', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Edit', { ...edit, replace_all: true })
    const desk = await openDesk(fixture)
    desk.press('w')
    expect(texts(desk).join('\n')).toContain('replace_all')
  })
})

describe('on the screen', () => {
  let screen: Screen

  afterEach(() => screen.close())

  test('the request lies over the panes, and its receipt stands with the agent', async () => {
    await joins('backend-1', 'Lower the limit')
    screen = openScreen(fixture, { columns: 200 })
    await screen.shows('backend-1')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    await screen.shows(/⚑ +1 .*\? asks you .*backend-1 .*Lower the limit/)
    await screen.shows(/\? backend-1 .*asks Edit: src\/limit\.ts/)
    await screen.shows('⚑ 1 waits for you')
    await screen.press('w')
    await screen.shows('backend-1 asks for permission')
    for (const words of ['src/limit.ts', '-const limit = 5', '-const retries = 1', '+const limit = 3', 'y allows it once']) expect(screen.text()).toContain(words)
    await screen.press('\r')
    await screen.shows(`Request ${id} asks for permission; allow or deny it.`)
    await expectUntouched(id)
    await screen.press('y')
    await screen.shows('backend-1 may use Edit this once.')
    await screen.shows(/● backend-1 .*allowed Edit …/)
    await perform(core, settleRequest, { requestId: id }, system())
    await screen.shows(/● backend-1 .*allowed Edit ✓/)
    await screen.lacks('waits for you')
  })

  test('what each key does stands apart from the next', async () => {
    await joins('backend-1', 'Lower the limit')
    await asksFor('backend-1', 'Edit', edit)
    screen = openScreen(fixture)
    await screen.shows('⚑ 1 waits for you')
    await screen.press('w')
    await screen.shows('y allows it once')
    expect(screen.text()).toContain('y allows it once   n denies   a always: edit   esc back')
  })

  test('w and y in one piece show the request and answer nothing', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    screen = openScreen(fixture)
    await screen.shows('⚑ 1 waits for you')
    await screen.press('wy')
    await screen.shows('backend-1 asks for permission')
    await expectUntouched(id)
    await screen.press('yy')
    expect((await answered(id)).status).toBe('allowed')
  })

  test('a question is answered in a form that has its words', async () => {
    await joins('backend-1', 'Choose a database')
    const { id } = await asks('backend-1', 'Which database?', ['Postgres', 'SQLite'])
    screen = openScreen(fixture)
    await screen.shows('⚑ 1 waits for you')
    await screen.press('w')
    await screen.shows('backend-1 asks you')
    await screen.press('\r')
    await screen.shows('Answer: Which database?')
    await screen.press('\t', 'DuckDB', '\r')
    await screen.shows('backend-1 is told: DuckDB')
    expect(await request(id)).toMatchObject({ status: 'answered', answer: 'DuckDB' })
  })

  test('a question that is longer than its form is read on in it, while it is answered', async () => {
    await joins('backend-1', 'Choose a database')
    const lines = Array.from({ length: 12 }, (_, n) => `${n + 1}. what speaks for it, and what against it, in a sentence that is not short`)
    await asks('backend-1', `Which database?\n${lines.join('\n')}`, ['Postgres, as the other services have it, with a schema of its own', 'SQLite'])
    screen = openScreen(fixture, { columns: 60, rows: 15 })
    await screen.shows('1 waits for you')
    await screen.press('w')
    await screen.shows('backend-1 asks you')
    await screen.press('\r')
    await screen.shows(/\[Answer\].* 1–\d+ of 25, pgdn reads on[^]*│ Which database\?/)
    await screen.shows(/chooses: Postgres, as the other services +│\n│ +have it, with a schema of its own, SQLite/)
    await screen.press(...Array.from({ length: 12 }, () => '\u001b[6~'))
    await screen.shows('–25 of 25')
    await screen.shows('12. what speaks for it')
    // However often it was pressed, one page back leads away from the end.
    await screen.press('\u001b[5~')
    await screen.lacks('–25 of 25')
    await screen.press('\u001b[C', '\u001b[C', '\r')
    await screen.shows('backend-1 is told: SQLite')
  })

  test('an answer to choose is shown whole', async () => {
    await joins('backend-1', 'Choose a database')
    await asks('backend-1', 'Which database?', ['SQLite\u001b]; drop the other\u0007'])
    screen = openScreen(fixture)
    await screen.shows('⚑ 1 waits for you')
    await screen.press('w')
    await screen.shows('1. SQLite⟨001B⟩]; drop the other⟨0007⟩')
    await screen.press('\r', '\u001b[C')
    await screen.shows('◂ SQLite⟨001B⟩]; drop the other⟨0007⟩ ▸')
  })

  test('a request that is answered elsewhere says so where it is shown', async () => {
    await joins('backend-1', 'Lower the limit')
    const { id } = await asksFor('backend-1', 'Edit', edit)
    screen = openScreen(fixture)
    await screen.shows('⚑ 1 waits for you')
    await screen.press('w')
    await screen.shows('y allows it once')
    await answerElsewhere(id, 'deny')
    await screen.shows(/ … denied +esc back/)
    await screen.press('y')
    await screen.shows(`Request ${id} is over: it was denied.`)
    expect(await request(id)).toMatchObject({ status: 'denied', answer: 'deny' })
  })

  test('nothing that an agent says is a sequence to the terminal', async () => {
    await joins('backend-1', 'Test')
    await asksFor('backend-1', 'Bash', { command: 'npm test \u001b]52;c;aGk=\u0007\u001b[2J\u009b2J', '\u001b]0;key\u0007': '\u001b]0;value\u0007' })
    screen = openScreen(fixture)
    await screen.shows('⚑ 1 waits for you')
    await screen.press('w')
    await screen.shows('backend-1 asks for permission')
    await screen.shows('npm test')
    for (const sequence of ['\u001b]52', '\u001b]0;', '\u009b']) expect(screen.written.join('')).not.toContain(sequence)
  })
})
