import { describe, expect, test } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { now, openTerminal, type Terminal } from '../terminal.ts'

/** The supervisor's next turn with this kind of agent as the default; null if no CLI is installed. */
const supervised = ({ core }: Terminal, kind: string | null) =>
  perform(
    { ...core, settings: { ...core.settings, agents: { ...core.settings.agents, default: kind } } },
    dispatch,
    { maxParallel: 3 },
    system(),
  )

const noAgent =
  "no agent kind is configured for persona planner; set agents.default in .aiswarm/config.yaml, or install one that 'aiswarm doctor' lists"

interface Started {
  readonly id: string
  readonly taskId: number | null
}

describe('a session with a goal', () => {
  test('has an id, its goal, and a planning task', async () => {
    const { json } = await openTerminal()
    const started = await json<Started>('session', 'start', '--goal', 'Users can log in')
    // The id contains the local time, so the test checks only its form.
    expect(started.id).toMatch(/^session-202601\d\d-\d{6}$/)
    expect(started).toEqual({
      id: started.id,
      status: 'running',
      goal: 'Users can log in',
      startedAt: now,
      endedAt: null,
      pausedAt: null,
      summary: null,
      taskId: 1,
      begun: true,
      held: noAgent,
    })
    expect(await json('session', 'show')).toMatchObject({
      id: started.id,
      status: 'running',
      goal: 'Users can log in',
      tasks: { pending: 1 },
    })
  })

  test('creates one task for the planner, before all other tasks', async () => {
    const { json } = await openTerminal()
    await json('task', 'add', 'Fix the build', '--persona', 'implementer', '--priority', '99')
    const { id, taskId } = await json<Started>('session', 'start', '--goal', 'Users can log in')
    expect(taskId).toBe(2)
    const planning = {
      id: 2,
      title: 'Plan: Users can log in',
      personaId: 'planner',
      status: 'pending',
      priority: 100,
      sessionId: id,
      createdBy: 'human',
      command: null,
      targetWorktree: null,
      parentTaskId: null,
      dependencies: [],
      acceptanceCriteria: [],
      metadata: null,
    }
    expect(await json('task', 'list', '--available')).toMatchObject([planning, { id: 1 }])
    expect((await json<{ description: string }>('task', 'show', '2')).description).toMatch(
      /^The goal:\n\nUsers can log in\n\nCreate the tasks that reach it,/,
    )
  })

  test('is reported to a person in one line', async () => {
    const { run } = await openTerminal()
    const said = await run('session', 'start', '--goal', 'Users can log in')
    expect(said).toMatchObject({ code: 0, err: '' })
    // No CLI is installed here, so the command reports at once that nothing can take the task.
    expect(said.out).toMatch(
      /^session-\d{8}-\d{6} has started; task 1 plans it\.\nTask 1 cannot start: no agent kind is configured for persona planner; .*\n$/,
    )
  })

  test('gets its planner when a supervisor runs', async () => {
    const terminal = await openTerminal()
    await terminal.json('session', 'start', '--goal', 'Users can log in')
    expect(await terminal.json('agent', 'list')).toEqual([])
    expect(await supervised(terminal, 'claude')).toEqual({
      next: null,
      started: [{ taskId: 1, agentId: 'planner-1' }],
      held: [],
      retired: [],
    })
    expect(await terminal.json('agent', 'list')).toMatchObject([
      { id: 'planner-1', personaId: 'planner', kind: 'claude', taskId: 1, assignedWorktree: null },
    ])
    expect(await terminal.json('task', 'show', '1')).toMatchObject({ status: 'claimed', assignedAgentId: 'planner-1' })
  })

  test('stores the whole goal, and its first line as the title', async () => {
    const { json } = await openTerminal()
    const goal = `${'Users log in with a password '.repeat(4)}\n- and stay logged in\n- "quoted" $HOME`
    expect(await json('session', 'start', '--goal', `  ${goal}\n`)).toMatchObject({ goal })
    expect(await json('task', 'show', '1')).toMatchObject({
      title: `Plan: ${goal.slice(0, 79)}…`,
      description: expect.stringContaining(`\n\n${goal}\n\n`) as string,
    })
  })

  test('keeps a title of exactly eighty characters without dots', async () => {
    const { json } = await openTerminal()
    await json('session', 'start', '--goal', 'x'.repeat(80))
    expect(await json('task', 'show', '1')).toMatchObject({ title: `Plan: ${'x'.repeat(80)}` })
  })

  test.each([
    ['--goal', ''],
    ['--goal', ' \n\t '],
    ['--goal', 'x'.repeat(20_001)],
  ])('is refused if the goal is empty or too long (%#)', async (...goal) => {
    const { refused, json } = await openTerminal()
    expect(await refused('session', 'start', ...goal)).toMatchObject({ exit: 2, code: 'invalid_input' })
    expect(await refused('session', 'show')).toMatchObject({ exit: 1, code: 'not_found' })
    expect(await json('task', 'list')).toEqual([])
  })

  test('is refused with the message that the goal is empty', async () => {
    const { run } = await openTerminal()
    expect(await run('session', 'start', '--goal', ' ')).toEqual({
      code: 2,
      out: '',
      err: 'start_session at goal: the goal is empty.\n',
    })
    expect(await run('session', 'start', '--goal')).toEqual({
      code: 2,
      out: '',
      err: "option '--goal <G>' argument missing\n",
    })
  })

  test('cannot be started by an agent', async () => {
    const { json, core } = await openTerminal()
    await json('agent', 'register', 'planner-9', '--persona', 'planner')
    const agent = await openTerminal({
      services: {
        open: () =>
          Promise.resolve({
            core,
            actor: { kind: 'agent', id: 'planner-9', role: 'planner', worktree: null } as const,
            outside: {} as never,
          }),
      },
    })
    expect(await agent.refused('session', 'start', '--goal', 'Take over')).toMatchObject({
      exit: 1,
      code: 'not_allowed',
    })
    expect(await json('task', 'list')).toEqual([])
  })
})

describe('a running session', () => {
  test.each([[['--goal', 'Users can pay']], [[]]])('with a goal refuses a second start (%j)', async (again) => {
    const { json, refused } = await openTerminal()
    const { id } = await json<Started>('session', 'start', '--goal', 'Users can log in\nwith a password')
    expect(await refused('session', 'start', ...again)).toEqual({
      exit: 1,
      code: 'already_exists',
      message: `${id} is running with the goal 'Users can log in'. 'aiswarm session end' ends it.`,
    })
    expect(await json('session', 'show')).toMatchObject({ id, goal: 'Users can log in\nwith a password' })
    expect(await json('task', 'list')).toMatchObject([{ id: 1 }])
  })

  test('without a goal, as the console starts one, accepts a goal', async () => {
    const { core, json } = await openTerminal()
    const { id } = await perform(core, beginSession, {}, system())
    expect(await json('session', 'start', '--goal', 'Users can log in')).toMatchObject({
      id,
      status: 'running',
      goal: 'Users can log in',
      taskId: 1,
    })
    expect(await json('session', 'show')).toMatchObject({ id, goal: 'Users can log in' })
    expect(await json('task', 'show', '1')).toMatchObject({ title: 'Plan: Users can log in', sessionId: id })
  })

  test('without a goal continues after a start without a goal', async () => {
    const { core, json, run } = await openTerminal()
    const events = async () =>
      (await core.store.read.selectFrom('events').select('operation').execute()).map(({ operation }) => operation)
    const { id } = await json<Started>('session', 'start')
    const before = await events()
    expect(await json('session', 'start')).toMatchObject({
      id,
      status: 'running',
      goal: null,
      taskId: null,
      begun: false,
    })
    expect(await run('session', 'start')).toEqual({ code: 0, out: `${id} is already running.\n`, err: '' })
    expect(await json('task', 'list')).toEqual([])
    expect(await events()).toEqual(before)
    expect((await run('session', 'start', '--goal', 'Users can log in')).out).toBe(
      `${id} is already running; task 1 plans it.\nTask 1 cannot start: ${noAgent}\n`,
    )
    expect(await events()).toEqual([...before, 'start_session'])
  })

  test('that is ended makes room for another with its own goal and plan', async () => {
    const { json } = await openTerminal()
    const first = await json<Started>('session', 'start', '--goal', 'Users can log in')
    expect(await json('session', 'end')).toMatchObject({ id: first.id, status: 'aborted', endedAt: now })
    const second = await json<Started>('session', 'start', '--goal', 'Users can pay')
    expect(second).toMatchObject({ status: 'running', goal: 'Users can pay', taskId: 2 })
    expect(second.id).not.toBe(first.id)
    expect(await json('task', 'show', '2')).toMatchObject({ title: 'Plan: Users can pay', sessionId: second.id })
    expect(await json('task', 'show', '1')).toMatchObject({ sessionId: first.id })
  })
})

test('a session without a goal has no task', async () => {
  const { json, run } = await openTerminal()
  expect(await json('session', 'start')).toMatchObject({ status: 'running', goal: null, taskId: null })
  expect(await json('task', 'list')).toEqual([])
  const other = await openTerminal()
  expect((await other.run('session', 'start')).out).toMatch(/^session-\d{8}-\d{6} has started\.\n$/)
  expect((await run('session', 'show')).out).not.toContain('goal')
})

describe('without an installed CLI', () => {
  test('a session starts anyway, and its plan waits with a reason', async () => {
    const terminal = await openTerminal()
    expect(await terminal.json('session', 'start', '--goal', 'Users can log in')).toMatchObject({
      status: 'running',
      taskId: 1,
    })
    expect(await supervised(terminal, null)).toEqual({
      next: null,
      started: [],
      held: [
        {
          taskId: 1,
          why: "no agent kind is configured for persona planner; set agents.default in .aiswarm/config.yaml, or install one that 'aiswarm doctor' lists",
        },
      ],
      retired: [],
    })
    expect(await terminal.json('task', 'show', '1')).toMatchObject({ status: 'pending', attempts: [] })
    expect(await terminal.json('agent', 'list', '--all')).toEqual([])
  })

  test('the status shows why the plan waits, each reason once', async () => {
    const { json, run } = await openTerminal()
    const why =
      "no agent kind is configured for persona planner; set agents.default in .aiswarm/config.yaml, or install one that 'aiswarm doctor' lists"
    await json('session', 'start', '--goal', 'Users can log in')
    expect(await json('status')).toMatchObject({ held: [{ taskId: 1, why }] })
    expect((await run('status')).out).toMatch(new RegExp(`\n\nCannot start\n  task 1: ${why}\n$`))
    for (let n = 2; n <= 7; n++) await json('task', 'add', `Part ${n}`, '--persona', 'planner')
    expect((await run('status')).out).toContain(`  tasks 1, 2, 3, 4, 5 and 2 more: ${why}\n`)
    // An agent that registers itself claims by itself, and a command needs no CLI.
    await json('agent', 'register', 'planner-9', '--persona', 'planner')
    await json('task', 'add', 'Run the tests', '--persona', 'tester', '--command', 'npm test')
    expect(await json('status')).toMatchObject({ held: [] })
    expect((await run('status')).out).not.toContain('Cannot start')
  })

  test('a planner that is spawned for the plan is refused with advice', async () => {
    const { json, refused } = await openTerminal()
    await json('session', 'start', '--goal', 'Users can log in')
    expect(await refused('agent', 'spawn', '--persona', 'planner', '--task', '1')).toEqual({
      exit: 1,
      code: 'missing_binary',
      message:
        'No agent kind is configured for persona planner. Set agents.default in .aiswarm/config.yaml or name a kind.',
    })
  })
})
