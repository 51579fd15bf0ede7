import { describe, expect, test } from 'vitest'
import { insertRequest } from '../../../src/db/requests.ts'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import { askHuman, settleRequest } from '../../../src/operations/requests/questions.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import type { Wish } from '../../../src/contracts/outside.ts'
import { requestPermission } from '../../../src/operations/requests/permissions.ts'
import { type Given, now, openTerminal, type Terminal } from '../terminal.ts'

/** An agent waits for ten minutes, so both requests are still open. */
const fourMinutesAgo = '2026-01-30T14:18:20.000Z'
const eightSecondsAgo = '2026-01-30T14:22:22.000Z'

/** Two agents have asked: backend-1 to run the tests (request 1), backend-2 for a branch (request 2). */
const openAsked = async (given: Given = {}): Promise<Terminal> => {
  const terminal = await openTerminal(given)
  await asPerson(terminal, 'agent', 'register', 'backend-1', '--persona', 'implementer')
  await asPerson(terminal, 'agent', 'register', 'backend-2', '--persona', 'tester')
  await asPerson(terminal, 'task', 'add', 'Login form', '--persona', 'implementer')
  await asPerson(terminal, 'task', 'claim', '1', '--agent', 'backend-1')
  await permission(terminal, 'npm test -- --run', fourMinutesAgo)
  await perform(
    at(terminal, eightSecondsAgo),
    askHuman,
    { agentId: 'backend-2', question: 'Which branch?', options: ['main', 'develop'] },
    person,
  )
  return terminal
}

const asPerson = async ({ run }: Terminal, ...argv: string[]): Promise<void> => {
  const said = await run(...argv)
  if (said.code !== 0) throw new Error(said.err)
}

const at = ({ core }: Terminal, instant: string) => ({ ...core, clock: () => instant })

const permission = (terminal: Terminal, command: string, instant = now, toolName = 'Bash') =>
  perform(at(terminal, instant), requestPermission, { agentId: 'backend-1', toolName, input: { command } }, person)

/**
 * A person who types `line` at every question. `questions` collects the questions, `above` the text above each,
 * `wishes` the wishes that remain.
 */
const typing = (line: string) => {
  const questions: string[] = []
  const above: string[] = []
  const wishes: Wish[] = []
  const given: Given = {
    streams: {
      stdinIsTerminal: true,
      ask: (question, shown) => (questions.push(question), above.push(shown), Promise.resolve(line)),
    },
    outside: { carryOut: (wish) => Promise.resolve(void wishes.push(wish)) },
  }
  return { given, questions, above, wishes }
}

const states = async ({ json }: Terminal): Promise<readonly string[]> =>
  (await json<{ status: string }[]>('request', 'list', '--all')).map(({ status }) => status)

describe('the list of requests', () => {
  test('contains everything that an agent asked for', async () => {
    const { json } = await openAsked()
    expect(await json('request', 'list')).toEqual([
      {
        id: 1,
        kind: 'permission',
        status: 'open',
        agentId: 'backend-1',
        taskId: 1,
        tool: 'Bash',
        subject: 'npm test -- --run',
        input: { command: 'npm test -- --run' },
        options: [],
        rule: 'shell(npm test)',
        askedAt: fourMinutesAgo,
        expiresAt: '2026-01-30T14:28:20.000Z',
        answer: null,
        answeredBy: null,
        answeredAt: null,
        toldAt: null,
      },
      {
        id: 2,
        kind: 'question',
        status: 'open',
        agentId: 'backend-2',
        taskId: null,
        tool: null,
        subject: 'Which branch?',
        input: null,
        options: ['main', 'develop'],
        rule: null,
        askedAt: eightSecondsAgo,
        expiresAt: '2026-01-30T14:32:22.000Z',
        answer: null,
        answeredBy: null,
        answeredAt: null,
        toldAt: null,
      },
    ])
  })

  test('is a table for a person', async () => {
    const { run } = await openAsked()
    expect(await run('request', 'list')).toEqual({
      code: 0,
      out:
        'ID  AGENT      ASKS        TOOL  STATE   AGE  ABOUT\n' +
        ' 1  backend-1  permission  Bash  open   4m10  npm test -- --run\n' +
        ' 2  backend-2  question    –     open     8s  Which branch?\n',
      err: '',
    })
  })

  test('is one sentence without a request', async () => {
    const { run, json } = await openTerminal()
    expect(await run('request', 'list')).toEqual({ code: 0, out: 'No requests.\n', err: '' })
    expect(await json('request', 'list')).toEqual([])
  })

  test('leaves out closed requests, unless --all is given', async () => {
    const terminal = await openAsked(typing('backend-1').given)
    await asPerson(terminal, 'request', 'answer', '1', '--deny')
    expect(await terminal.json('request', 'list')).toMatchObject([{ id: 2, status: 'open' }])
    expect(await terminal.json('request', 'list', '--all')).toMatchObject([
      { id: 1, status: 'denied' },
      { id: 2, status: 'open' },
    ])
  })

  test('is narrowed to one agent and to open requests', async () => {
    const terminal = await openAsked(typing('backend-2').given)
    await asPerson(terminal, 'request', 'answer', '2', '--text', 'main')
    expect(await terminal.json('request', 'list', '--agent', 'backend-1')).toMatchObject([
      { id: 1, agentId: 'backend-1' },
    ])
    expect(await terminal.json('request', 'list', '--agent', 'backend-2')).toEqual([])
    expect(await terminal.json('request', 'list', '--agent', 'backend-2', '--all')).toMatchObject([
      { id: 2, status: 'answered' },
    ])
  })

  test('of an unknown agent is refused', async () => {
    const { refused } = await openAsked()
    for (const flags of [[], ['--all']])
      expect(await refused('request', 'list', '--agent', 'nobody', ...flags)).toEqual({
        exit: 1,
        code: 'not_found',
        message: "There is no agent nobody. 'aiswarm agent list --all' lists the agents.",
      })
  })

  test('escapes the terminal sequences of an agent', async () => {
    const terminal = await openAsked()
    await permission(terminal, 'rm -rf /\u001b[2K\r\necho harmless\u202e')
    expect((await terminal.run('request', 'list')).out).toContain(
      '3  backend-1  permission  Bash  open     0s  rm -rf / echo harmless⟨202E⟩\n',
    )
  })

  test('is refused to an agent', async () => {
    const terminal = await openAsked()
    const agent = await openTerminal({
      services: { open: () => Promise.resolve({ core: terminal.core, actor: backend, outside: {} as never }) },
    })
    expect(await agent.refused('request', 'list')).toEqual({
      exit: 1,
      code: 'not_allowed',
      message: 'backend-1 may not list requests; only a person may do it.',
    })
  })
})

const backend = { kind: 'agent', id: 'backend-1', role: 'worker', worktree: null } as const

describe('an answer', () => {
  test("shows the request, requires the agent's id to be typed, and allows it once", async () => {
    const { given, questions, wishes } = typing('backend-1')
    const terminal = await openAsked(given)
    expect(await terminal.run('request', 'answer', '1', '--allow')).toEqual({
      code: 0,
      out:
        'request  1\n' +
        'agent    backend-1\n' +
        'task     1\n' +
        'asks     permission\n' +
        'tool     Bash\n' +
        'since    4m10\n' +
        'rule     shell(npm test)\n' +
        '\n' +
        'npm test -- --run\n' +
        '\n' +
        '{\n  "command": "npm test -- --run"\n}\n' +
        '\n' +
        'Request 1 of backend-1: allowed\n',
      err: '',
    })
    expect(questions).toEqual(["Allow it once? Type the agent's id, backend-1: "])
    expect(await terminal.json('request', 'list', '--all', '--agent', 'backend-1')).toMatchObject([
      { status: 'allowed', answer: 'allow', answeredBy: 'human', answeredAt: now, toldAt: null },
    ])
    expect(wishes).toEqual([])
  })

  test('with --always requests a rule in the configuration of the persona', async () => {
    const { given, questions, wishes } = typing('backend-1')
    const terminal = await openAsked(given)
    expect(await terminal.run('request', 'answer', '1', '--always')).toMatchObject({ code: 0, err: '' })
    expect(questions).toEqual(["Always allow it and similar requests? Type the agent's id, backend-1: "])
    expect(await terminal.json('request', 'list', '--all', '--agent', 'backend-1')).toMatchObject([
      { status: 'allowed', answer: 'always' },
    ])
    expect(wishes).toEqual([{ kind: 'allow_rule', personaId: 'implementer', rule: 'shell(npm test)' }])
  })

  test('with a rule that cannot be written says so', async () => {
    const refusal = new Refusal('config_invalid', 'config.yaml cannot be read; repair it first.')
    const terminal = await openAsked({
      ...typing('backend-1').given,
      outside: { carryOut: () => Promise.reject(refusal) },
    })
    expect(await terminal.run('request', 'answer', '1', '--always')).toMatchObject({
      code: 1,
      err: 'config.yaml cannot be read; repair it first.\n',
    })
  })

  test('with a rule that would have no effect is refused, and no event is recorded', async () => {
    const { given, wishes } = typing('backend-1')
    const checked: Wish[] = []
    const check = (wish: Wish): never => {
      checked.push(wish)
      throw new Refusal('config_invalid', 'config.yaml cannot be read; repair it first.')
    }
    const terminal = await openAsked({ ...given, outside: { ...given.outside, check } })
    expect(await terminal.refused('request', 'answer', '1', '--always')).toEqual({
      exit: 1,
      code: 'config_invalid',
      message: 'config.yaml cannot be read; repair it first.',
    })
    expect(checked).toEqual([{ kind: 'allow_rule', personaId: 'implementer', rule: 'shell(npm test)' }])
    expect(wishes).toEqual([])
    expect(await states(terminal)).toEqual(['open', 'open'])
    expect(
      await terminal.core.store.read
        .selectFrom('events')
        .selectAll()
        .where('operation', '=', 'answer_request')
        .execute(),
    ).toEqual([])
    expect(await terminal.run('request', 'answer', '1', '--allow')).toMatchObject({ code: 0, err: '' })
  })

  test('that denies the request writes no rule', async () => {
    const { given, questions, wishes } = typing('backend-1')
    const terminal = await openAsked(given)
    const said = await terminal.run('request', 'answer', '1', '--deny')
    expect(said).toMatchObject({ code: 0, err: '' })
    expect(said.out).toMatch(/\n\nRequest 1 of backend-1: denied\n$/)
    expect(questions).toEqual(["Deny it? Type the agent's id, backend-1: "])
    expect(await states(terminal)).toEqual(['denied', 'open'])
    expect(wishes).toEqual([])
  })

  test('to a question is a text, given below the suggested answers', async () => {
    const { given, questions } = typing('backend-2')
    const terminal = await openAsked(given)
    const said = await terminal.run('request', 'answer', '2', '--text', ' release/1.x, as agreed ')
    expect(said).toMatchObject({ code: 0, err: '' })
    expect(said.out).toContain('Which branch?\n\nAnswers\n  main\n  develop\n')
    expect(said.out).toMatch(/\n\nRequest 2 of backend-2: answered: release\/1\.x, as agreed\n$/)
    expect(questions).toEqual(["Send this answer? Type the agent's id, backend-2: "])
    expect(await terminal.json('request', 'list', '--all', '--agent', 'backend-2')).toMatchObject([
      { status: 'answered', answer: 'release/1.x, as agreed', answeredBy: 'human' },
    ])
  })

  test('with --json prints the request in its new state, and the question on standard error', async () => {
    const { given, above } = typing('backend-1')
    const terminal = await openAsked(given)
    const said = await terminal.run('request', 'answer', '1', '--allow', '--json')
    expect(said.code).toBe(0)
    expect(JSON.parse(said.out)).toMatchObject({
      id: 1,
      kind: 'permission',
      status: 'allowed',
      agentId: 'backend-1',
      personaId: 'implementer',
      answer: 'allow',
    })
    expect(said.err).toBe('')
    expect(above.join()).toContain('npm test -- --run')
  })

  test('is accepted with spaces around the typed id', async () => {
    const terminal = await openAsked(typing(' backend-1 \n').given)
    expect(await terminal.run('request', 'answer', '1', '--allow')).toMatchObject({ code: 0 })
    expect(await states(terminal)).toEqual(['allowed', 'open'])
  })

  test('records an event with the request and the answer', async () => {
    const terminal = await openAsked(typing('backend-1').given)
    await asPerson(terminal, 'request', 'answer', '1', '--deny')
    const events = await terminal.core.store.read
      .selectFrom('events')
      .selectAll()
      .where('operation', '=', 'answer_request')
      .execute()
    expect(events).toMatchObject([
      { actor: 'human', agent_id: 'backend-1', task_id: 1, details: '{"request":1,"verdict":"deny"}' },
    ])
  })
})

describe('an answer is refused', () => {
  test.each([
    ['no verdict', []],
    ['two verdicts', ['--allow', '--deny']],
    ['--allow and --always', ['--allow', '--always']],
    ['a verdict and a text', ['--allow', '--text', 'no']],
    ['a verdict and an empty text', ['--allow', '--text', '']],
    ['all four', ['--allow', '--always', '--deny', '--text', 'yes']],
  ])('with %s', async (_, verdicts) => {
    const terminal = await openAsked(typing('backend-1').given)
    expect(await terminal.refused('request', 'answer', '1', ...verdicts)).toEqual({
      exit: 2,
      code: 'invalid_input',
      message: "One of '--allow', '--always', '--deny' or '--text <T>' is required.",
    })
    expect(await states(terminal)).toEqual(['open', 'open'])
  })

  test.each([['0'], ['x'], ['1.5']])('for a request number such as %s', async (id) => {
    const { refused } = await openTerminal()
    expect(await refused('request', 'answer', id, '--allow')).toMatchObject({ exit: 2, code: 'invalid_input' })
  })

  test('for an unknown request, before any question', async () => {
    const { given, questions } = typing('backend-1')
    const terminal = await openAsked(given)
    expect(await terminal.refused('request', 'answer', '99', '--allow')).toEqual({
      exit: 1,
      code: 'not_found',
      message: "There is no request 99. 'aiswarm request list' lists the requests.",
    })
    expect(questions).toEqual([])
  })

  test('without a terminal, with a note of the other way', async () => {
    const terminal = await openAsked()
    for (const verdict of [['--allow'], ['--always'], ['--deny'], ['--text', 'main']]) {
      expect(await terminal.refused('request', 'answer', '1', ...verdict)).toEqual({
        exit: 1,
        code: 'needs_terminal',
        message: "Answering request 1 needs a person at a terminal. Use one, or the inbox of the console ('aiswarm').",
      })
    }
    expect(await states(terminal)).toEqual(['open', 'open'])
  })

  test.each(['', 'y', 'yes', '1', 'backend-2', 'Backend-1'])('if %j is typed', async (line) => {
    const { given, wishes } = typing(line)
    const terminal = await openAsked(given)
    expect(await terminal.run('request', 'answer', '1', '--always')).toMatchObject({
      code: 1,
      err: "'backend-1' was not typed, so nothing was done.\n",
    })
    expect(await states(terminal)).toEqual(['open', 'open'])
    expect(wishes).toEqual([])
  })

  test('with --json as one JSON value if something else is typed', async () => {
    const terminal = await openAsked(typing('backend-2').given)
    expect(await terminal.refused('request', 'answer', '1', '--allow')).toEqual({
      exit: 1,
      code: 'not_allowed',
      message: "'backend-1' was not typed, so nothing was done.",
    })
    expect(await states(terminal)).toEqual(['open', 'open'])
  })

  test('on Ctrl-C', async () => {
    const terminal = await openAsked({
      streams: { stdinIsTerminal: true, ask: () => Promise.reject(new DOMException('aborted', 'AbortError')) },
    })
    expect(await terminal.run('request', 'answer', '1', '--allow')).toMatchObject({
      code: 1,
      err: "'backend-1' was not typed, so nothing was done.\n",
    })
    expect(await states(terminal)).toEqual(['open', 'open'])
  })

  test('in the shell of an agent, with or without a terminal', async () => {
    const { given, questions } = typing('backend-1')
    for (const streams of [given.streams!, {}]) {
      const terminal = await openAsked({ ...given, streams, environment: { AISWARM_AGENT_ID: 'backend-1' } })
      expect(await terminal.refused('request', 'answer', '1', '--allow')).toEqual({
        exit: 1,
        code: 'not_allowed',
        message: 'Agent backend-1 may not answer requests; only a person may do it.',
      })
      expect(await states(terminal)).toEqual(['open', 'open'])
    }
    expect(questions).toEqual([])
  })

  test('on the connection of an agent, even if its environment does not say so', async () => {
    const asked = await openAsked()
    const { given, questions } = typing('backend-1')
    const agent = await openTerminal({
      ...given,
      services: { open: () => Promise.resolve({ core: asked.core, actor: backend, outside: {} as never }) },
    })
    expect(await agent.refused('request', 'answer', '1', '--allow')).toMatchObject({ exit: 1, code: 'not_allowed' })
    expect(questions).toEqual([])
    expect(await states(asked)).toEqual(['open', 'open'])
  })

  test('if the request is already answered, and the first answer stays', async () => {
    const { given, wishes } = typing('backend-1')
    const terminal = await openAsked(given)
    await asPerson(terminal, 'request', 'answer', '1', '--deny')
    expect(await terminal.run('request', 'answer', '1', '--always')).toMatchObject({
      code: 1,
      err: 'Request 1 is closed: it was denied.\n',
    })
    expect(await terminal.json('request', 'list', '--all', '--agent', 'backend-1')).toMatchObject([
      { status: 'denied', answer: 'deny' },
    ])
    expect(wishes).toEqual([])
  })

  test('if the request has expired', async () => {
    const terminal = await openAsked(typing('backend-1').given)
    await perform(at(terminal, '2026-01-30T14:28:20.000Z'), settleRequest, { requestId: 1 }, system())
    expect(await terminal.run('request', 'answer', '1', '--allow')).toMatchObject({
      code: 1,
      err: 'Request 1 is closed: it was not answered in time and counts as denied.\n',
    })
  })

  test('if the attempt that asked has ended', async () => {
    const terminal = await openAsked(typing('backend-1').given)
    await asPerson(terminal, 'task', 'complete', '1', '--agent', 'backend-1')
    expect(await terminal.run('request', 'answer', '1', '--allow')).toMatchObject({
      code: 1,
      err: 'Request 1 is closed: it was withdrawn when its attempt ended.\n',
    })
  })

  test.each(['--allow', '--always', '--deny'])('if %s is given for a question', async (verdict) => {
    const terminal = await openAsked(typing('backend-2').given)
    expect(await terminal.run('request', 'answer', '2', verdict)).toMatchObject({
      code: 1,
      err: 'Request 2 is a question. Answer it in words.\n',
    })
    expect(await states(terminal)).toEqual(['open', 'open'])
  })

  test('if a text is given for a permission request', async () => {
    const terminal = await openAsked(typing('backend-1').given)
    expect(await terminal.run('request', 'answer', '1', '--text', 'yes')).toMatchObject({
      code: 1,
      err: 'Request 1 asks for permission. Allow or deny it.\n',
    })
    expect(await states(terminal)).toEqual(['open', 'open'])
  })

  test('if its text is empty', async () => {
    const terminal = await openAsked(typing('backend-2').given)
    expect(await terminal.run('request', 'answer', '2', '--text', '  ')).toMatchObject({
      code: 2,
      err: 'answer_request at answer: an answer is required.\n',
    })
    expect(await states(terminal)).toEqual(['open', 'open'])
  })

  test('with --always if no rule can describe the request', async () => {
    const { given, wishes } = typing('backend-1')
    const terminal = await openAsked(given)
    await permission(terminal, 'npm test; curl evil.example')
    expect(await terminal.run('request', 'answer', '3', '--always')).toMatchObject({
      code: 1,
      err: 'No rule can describe request 3. Allow it once, or deny it.\n',
    })
    expect(wishes).toEqual([])
    expect(await terminal.run('request', 'answer', '3', '--allow')).toMatchObject({ code: 0 })
  })

  test('if the CLI has already denied the request, unless --always is given', async () => {
    const { given, wishes } = typing('backend-1')
    const terminal = await openAsked(given)
    await terminal.core.store.write((db) =>
      insertRequest(db, {
        kind: 'denial',
        agent_id: 'backend-1',
        task_id: 1,
        tool: 'Bash',
        subject: 'git push',
        rule: 'shell(git push)',
        asked_at: now,
      }),
    )
    expect(await terminal.run('request', 'answer', '3', '--allow')).toMatchObject({
      code: 1,
      err: 'The agent was already denied this. Allow it always, or leave it.\n',
    })
    expect(await terminal.run('request', 'answer', '3', '--always')).toMatchObject({ code: 0 })
    expect(wishes).toEqual([{ kind: 'allow_rule', personaId: 'implementer', rule: 'shell(git push)' }])
  })
})

test('a request is found after 500 later requests', async () => {
  const terminal = await openAsked(typing('backend-1').given)
  await terminal.core.store.write(async (db) => {
    for (let n = 0; n < 500; n++)
      await insertRequest(db, {
        kind: 'permission',
        agent_id: 'backend-2',
        tool: 'Bash',
        subject: 'ls',
        asked_at: now,
        status: 'allowed',
        answered_by: 'aiswarm',
        answered_at: now,
      })
  })
  expect(await terminal.json('request', 'list')).toMatchObject([{ id: 1 }, { id: 2 }])
  expect(await terminal.run('request', 'answer', '1', '--allow')).toMatchObject({ code: 0, err: '' })
})
