import { describe, expect, test } from 'vitest'
import { openTerminal } from '../terminal.ts'

describe('the board on the command line', () => {
  test('adds a task with every given field', async () => {
    const { json } = await openTerminal()
    await json('task', 'add', 'Model', '--persona', 'implementer')
    const task = await json(
      'task',
      'add',
      'Login form',
      '--persona',
      'implementer',
      '--description',
      'with a password',
      '--priority',
      '-5',
      '--depends',
      '1',
      '--parent',
      '1',
      '--command',
      'npm test',
      '--criterion',
      'It logs in',
      '--criterion',
      '--json is no option here',
      '--metadata',
      '{"tier": 2}',
    )
    expect(task).toMatchObject({
      id: 2,
      title: 'Login form',
      description: 'with a password',
      personaId: 'implementer',
      status: 'pending',
      blockedBy: [1],
      priority: -5,
      dependencies: [1],
      targetWorktree: null,
      parentTaskId: 1,
      assignedAgentId: null,
      attempt: 0,
      retryCount: 0,
      progressPercent: null,
      leaseExpiresAt: null,
      claimedAt: null,
      startedAt: null,
      completedAt: null,
      resultData: null,
      artifacts: [],
      errorMessage: null,
      command: 'npm test',
      createdBy: 'human',
      metadata: { tier: 2 },
      acceptanceCriteria: [
        { text: 'It logs in', met: false },
        { text: '--json is no option here', met: false },
      ],
    })
    expect(await json('task', 'show', '2')).toMatchObject({
      id: 2,
      blockedBy: [1],
      attempts: [],
      children: [],
      dependents: [],
    })
  })

  test('filters lists by state, persona and availability', async () => {
    const { json, run } = await openTerminal()
    await json('task', 'add', 'First', '--persona', 'implementer')
    await json('task', 'add', 'Second', '--persona', 'tester', '--depends', '1')
    const ids = async (...filter: string[]) =>
      (await json<{ id: number }[]>('task', 'list', ...filter)).map((task) => task.id)
    expect(await ids()).toEqual([1, 2])
    expect(await ids('--persona', 'tester')).toEqual([2])
    expect(await ids('--available')).toEqual([1])
    expect(await ids('--status', 'blocked')).toEqual([2])
    expect(await ids('--status', 'completed')).toEqual([])
    // The age of these states is unknown here.
    expect((await run('task', 'list')).out.replace(/ \ds /g, ' 0s ')).toBe(
      'ID  PRI  STATE         TIME  PERSONA      AGENT  WORKTREE  TITLE\n' +
        ' 1    0  pending         0s  implementer  –      –         First\n' +
        ' 2    0  blocked by 1    0s  tester       –      –         Second\n',
    )
  })

  test('nests all tasks below their parents in the tree', async () => {
    const { json, run } = await openTerminal()
    await json('task', 'add', 'Shop', '--persona', 'planner')
    await json('task', 'add', 'Cart', '--persona', 'implementer', '--parent', '1')
    expect(await json('task', 'tree', '--persona', 'implementer')).toMatchObject([
      { id: 1, title: 'Shop', children: [{ id: 2, title: 'Cart', children: [] }] },
    ])
    expect((await run('task', 'tree')).out).toBe('1  Shop  (pending)\n  2  Cart  (pending)\n')
  })

  test('lets an agent claim, start, report and complete a task', async () => {
    const { json, run } = await openTerminal()
    await json('task', 'add', 'Login form', '--persona', 'implementer')
    await json('agent', 'register', 'backend-1', '--persona', 'implementer')
    expect(await json('task', 'claim', '1', '--agent', 'backend-1')).toMatchObject({
      status: 'claimed',
      assignedAgentId: 'backend-1',
      attempt: 1,
    })
    expect(await json('task', 'start', '1', '--agent', 'backend-1')).toMatchObject({ status: 'in_progress' })
    expect(
      await json('task', 'progress', '1', '--agent', 'backend-1', '--note', 'half \u001b[31mway', '--percent', '50'),
    ).toMatchObject({ progressPercent: 50 })
    expect(await json('task', 'logs', '1')).toMatchObject([
      {
        taskId: 1,
        agentId: 'backend-1',
        level: 'info',
        message: 'half \u001b[31mway',
        percent: 50,
        loggedAt: '2026-01-30T14:22:30.000Z',
      },
    ])
    expect((await run('task', 'logs', '1')).out).toContain('half way')
    expect(await json('task', 'complete', '1', '--agent', 'backend-1', '--result', '{"tests": 12}')).toMatchObject({
      status: 'completed',
      resultData: { tests: 12 },
    })
  })

  test('retries a failed task by hand, and does not retry a cancelled one', async () => {
    const { json, refused } = await openTerminal()
    await json('task', 'add', 'Flaky', '--persona', 'implementer')
    await json('agent', 'register', 'backend-1', '--persona', 'implementer')
    await json('task', 'claim', '1', '--agent', 'backend-1')
    expect(await json('task', 'fail', '1', '--agent', 'backend-1', '--error', 'boom')).toMatchObject({
      status: 'pending',
      retryCount: 1,
      errorMessage: 'boom',
    })
    expect(await json('task', 'retry', '1')).toMatchObject({ status: 'pending', notBefore: null })
    expect(await json('task', 'cancel', '1', '--reason', 'enough')).toMatchObject({ status: 'cancelled' })
    expect(await refused('task', 'retry', '1')).toEqual({
      exit: 1,
      code: 'invalid_state',
      message: 'Task 1 is cancelled; only a failed task can be retried.',
    })
  })

  test('requires --agent from a person, not from an agent', async () => {
    const { json, refused, core } = await openTerminal()
    await json('task', 'add', 'Login form', '--persona', 'implementer')
    await json('agent', 'register', 'backend-1', '--persona', 'implementer')
    expect(await refused('task', 'claim', '1')).toMatchObject({ exit: 2, code: 'invalid_input' })
    const agent = await openTerminal({
      actor: { kind: 'agent', id: 'backend-1', role: 'worker', worktree: null },
      services: { open: () => Promise.resolve(connectionOf(core)) },
    })
    expect(await agent.json('task', 'claim', '1')).toMatchObject({ assignedAgentId: 'backend-1' })
  })

  test('prints each row of a followed log once, until Ctrl-C', async () => {
    const stop = new AbortController()
    const first = await openTerminal({
      streams: { signal: stop.signal },
      services: {
        nextChange: async () => {
          await first.run('task', 'progress', '1', '--agent', 'backend-1', '--note', 'second')
          stop.abort()
        },
      },
    })
    await first.run('task', 'add', 'Login form', '--persona', 'implementer')
    await first.run('agent', 'register', 'backend-1', '--persona', 'implementer')
    await first.run('task', 'claim', '1', '--agent', 'backend-1')
    await first.run('task', 'progress', '1', '--agent', 'backend-1', '--note', 'first')
    const said = await first.run('task', 'logs', '1', '--follow', '--json')
    expect(said.code).toBe(0)
    expect(
      said.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { message: string }).message),
    ).toEqual(['first', 'second'])
  })
})

const connectionOf = (core: Awaited<ReturnType<typeof openTerminal>>['core']) => ({
  core,
  actor: { kind: 'agent', id: 'backend-1', role: 'worker', worktree: null } as const,
  outside: { carryOut: () => Promise.resolve() } as never,
})

describe('task edit', () => {
  test('sets and removes the wish for a host', async () => {
    const { run, json } = await openTerminal()
    await json('task', 'add', 'Model', '--persona', 'implementer', '--worktree', 'auto', '--label', 'gpu')
    const placement = async (): Promise<unknown> => {
      const { metadata } = await json<{ metadata: { placement?: unknown } }>('task', 'show', '1')
      return metadata.placement
    }
    expect(await placement()).toEqual({ labels: ['gpu'] })
    expect(await run('task', 'edit', '1', '--label', 'big,linux')).toMatchObject({
      code: 0,
      out: 'Task 1 changed.\n  labels of its host gpu → big, linux\n',
    })
    expect((await run('task', 'edit', '1', '--host', 'moon')).code).not.toBe(0)
    await run('task', 'edit', '1', '--label', '')
    expect(await placement()).toBeUndefined()
  })

  test('changes what is named, prints the changes, and leaves a history', async () => {
    const { run, json } = await openTerminal()
    await json('task', 'add', 'Model', '--persona', 'implementer', '--criterion', 'It saves', '--budget', '2')
    expect(
      await run(
        'task',
        'edit',
        '1',
        '--priority',
        '9',
        '--description',
        'With a key',
        '--criterion',
        'It loads',
        '--budget',
        'none',
      ),
    ).toMatchObject({
      code: 0,
      out: `Task 1 changed.
  description none → 1 line
    + With a key
  priority 0 → 9
  acceptance criteria 1 → 1
    - It saves
    + It loads
  budget $2.00 → no limit
`,
    })
    expect(await json('task', 'history', '1')).toMatchObject([
      { actor: 'human', did: 'created' },
      { actor: 'human', did: 'edited', changes: [{ field: 'description' }, {}, {}, {}] },
    ])
    expect((await run('task', 'edit', '1', '--priority', '9')).out).toBe(
      'Task 1 has these values already; nothing changed.\n',
    )
    await json('task', 'edit', '1', '--criterion', '', '--depends', '')
    expect(await json('task', 'show', '1')).toMatchObject({ acceptanceCriteria: [], dependencies: [] })
    expect(await run('task', 'edit', '1', '--budget', 'much')).toMatchObject({ code: 2 })
  })
})
