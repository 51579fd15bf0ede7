import { zonedTime } from '../../../src/domain/words/time.ts'
import { describe, expect, test } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { recordCommits, settleRun } from '../../../src/operations/runs/ends.ts'
import { recordLaunch, recordLaunchFailure } from '../../../src/operations/runs/processes.ts'
import { recordRunReport } from '../../../src/operations/runs/reports.ts'
import { now, openTerminal, type Terminal } from '../terminal.ts'

type Report = Parameters<typeof recordRunReport.run>[1]['report']
type Verdict = Parameters<typeof settleRun.run>[1]['verdict']
type Launch = Partial<Parameters<typeof recordLaunch.run>[1]>

const done: Verdict = { kind: 'completed', resultData: null }
const silent: Report = {
  model: null,
  session: null,
  tokensIn: 0,
  tokensOut: 0,
  tokensCached: 0,
  costUsd: null,
  said: null,
  problem: null,
}

/** The loops dispatch the tasks (one process at a time by default), record a launch and record its end. */
const loops = ({ core }: Terminal) => ({
  dispatched: (maxParallel = 1) => perform(core, dispatch, { maxParallel }, system()),
  launched: (agentId: string, run: number, launch: Launch = {}) =>
    perform(
      core,
      recordLaunch,
      { agentId, run, pid: 4242, startedAt: '99', bootId: 'boot', startsTask: true, ...launch },
      system(),
    ),
  reported: (agentId: string, run: number, report: Partial<Report>) =>
    perform(core, recordRunReport, { agentId, run, report: { ...silent, ...report } }, system()),
  ended: (
    agentId: string,
    run: number,
    exitCode: number | null,
    verdict: Verdict = done,
    report: Partial<Report> = {},
  ) => perform(core, settleRun, { agentId, run, exitCode, verdict, report: { ...silent, ...report } }, system()),
})

/** A board with this many tasks for an implementer of the kind claude. */
const openBoard = async (tasks: number) => {
  const terminal = await openTerminal()
  for (let n = 1; n <= tasks; n++)
    await terminal.json('task', 'add', `Part ${n}`, '--persona', 'implementer', '--kind', 'claude')
  return { ...terminal, ...loops(terminal) }
}

describe('one agent', () => {
  test('is shown with the usage, the last words and the end of each run', async () => {
    const { json, dispatched, launched, ended } = await openBoard(2)
    await json('agent', 'spawn', '--persona', 'implementer', '--kind', 'claude')
    await dispatched()
    await launched('implementer-1', 1, { model: 'opus' })
    await ended('implementer-1', 1, 0, done, {
      session: 'abc',
      tokensIn: 1200,
      tokensOut: 300,
      tokensCached: 900,
      costUsd: 0.0421,
      said: 'All tests pass.',
    })
    await dispatched()
    await launched('implementer-1', 2, { model: 'opus', resumes: 'abc' })
    await ended(
      'implementer-1',
      2,
      1,
      { kind: 'unavailable', why: 'not logged in', resetsAt: null },
      { session: 'abc', problem: 'not logged in' },
    )
    expect(await json('agent', 'show', 'implementer-1')).toMatchObject({
      id: 'implementer-1',
      personaId: 'implementer',
      kind: 'claude',
      status: 'terminated',
      exitCode: 1,
      run: 2,
    })
    expect((await json<{ runs: unknown }>('agent', 'show', 'implementer-1')).runs).toEqual([
      {
        agentId: 'implementer-1',
        run: 1,
        taskId: 1,
        attempt: 1,
        kind: 'claude',
        model: 'opus',
        session: 'abc',
        resumed: false,
        startedAt: now,
        endedAt: now,
        exitCode: 0,
        tokensIn: 1200,
        tokensOut: 300,
        tokensCached: 900,
        costUsd: 0.0421,
        said: 'All tests pass.',
        problem: null,
      },
      {
        agentId: 'implementer-1',
        run: 2,
        taskId: 2,
        attempt: 1,
        kind: 'claude',
        model: 'opus',
        session: 'abc',
        resumed: true,
        startedAt: now,
        endedAt: now,
        exitCode: 1,
        tokensIn: 0,
        tokensOut: 0,
        tokensCached: 0,
        costUsd: null,
        said: null,
        problem: 'not logged in',
      },
    ])
  })

  test('is shown to a person with one line per run', async () => {
    const { json, run, dispatched, launched, ended } = await openBoard(2)
    await json('agent', 'spawn', '--persona', 'implementer', '--kind', 'claude')
    await dispatched()
    await launched('implementer-1', 1, { model: 'opus' })
    await ended('implementer-1', 1, 0, done, {
      tokensIn: 1200,
      tokensOut: 300,
      costUsd: 0.0421,
      said: 'All tests\npass.\u001b[2J',
    })
    await dispatched()
    await launched('implementer-1', 2, { resumes: 'abc' })
    await ended(
      'implementer-1',
      2,
      1,
      { kind: 'unavailable', why: 'over its limit', resetsAt: null },
      { problem: 'over its limit' },
    )
    const said = await run('agent', 'show', 'implementer-1')
    expect(said).toMatchObject({ code: 0, err: '' })
    expect(said.out).toMatch(
      /^agent {7}implementer-1\npersona {5}implementer\nkind {8}claude\nstate {7}terminated, exit 1\n/,
    )
    expect(said.out).toContain('\nspawned by  human\n')
    // The words of a run are foreign text and are printed below their run.
    expect(said.out.slice(said.out.indexOf('Runs'))).toBe(
      'Runs\n' +
        `  1. ${zonedTime(now)}  task 1  opus  1200 tokens in, 300 out  $0.0421  exit 0\n` +
        '     last message: All tests pass.\n' +
        `  2. ${zonedTime(now)}  task 2  session resumed  exit 1\n` +
        '     problem: over its limit\n',
    )
  })

  test('is shown during its work, with its usage so far', async () => {
    const { json, run, dispatched, launched, reported } = await openBoard(1)
    await dispatched()
    await launched('implementer-1', 1)
    await reported('implementer-1', 1, { model: 'sonnet', session: 'abc', tokensIn: 10, tokensOut: 2 })
    expect(await json('agent', 'show', 'implementer-1')).toMatchObject({
      status: 'active',
      processId: 4242,
      taskId: 1,
      runs: [
        {
          run: 1,
          model: 'sonnet',
          session: 'abc',
          endedAt: null,
          exitCode: null,
          tokensIn: 10,
          tokensOut: 2,
          costUsd: null,
        },
      ],
    })
    const { out } = await run('agent', 'show', 'implementer-1')
    expect(out).toContain('state      active\npid        4242\nheartbeat  0s ago\ntask       1\n')
    expect(out).toContain('10 tokens in, 2 out')
    expect(out).not.toContain('$')
  })

  test('has no run if its program cannot be started, and shows why', async () => {
    const { json, run, core, dispatched } = await openBoard(1)
    await dispatched()
    expect((await run('agent', 'show', 'implementer-1')).out).toContain('state      starting\n')
    await perform(
      core,
      recordLaunchFailure,
      { agentId: 'implementer-1', run: 1, error: 'claude is not installed' },
      system(),
    )
    expect(await json('agent', 'show', 'implementer-1')).toMatchObject({
      launchError: 'claude is not installed',
      runs: [],
    })
    const { out } = await run('agent', 'show', 'implementer-1')
    expect(out).toContain('state      cannot start: claude is not installed\n')
    expect(out).not.toContain('Runs')
    expect((await run('agent', 'list', '--all')).out).toContain('cannot start: claude is not installed')
    expect(await json('status')).toMatchObject({ held: [{ taskId: 1, why: 'claude is not installed' }] })
  })

  test('has no runs if it registered itself', async () => {
    const { json, run } = await openTerminal()
    await json('agent', 'register', 'backend-1', '--persona', 'implementer')
    expect(await json('agent', 'show', 'backend-1')).toMatchObject({ id: 'backend-1', kind: 'external', runs: [] })
    expect((await run('agent', 'show', 'backend-1')).out).not.toContain('Runs')
  })

  test('is shown without the runs of another agent', async () => {
    const { json, dispatched, launched } = await openBoard(2)
    await dispatched(2)
    await launched('implementer-1', 1)
    await launched('implementer-2', 1)
    expect(await json('agent', 'show', 'implementer-2')).toMatchObject({
      id: 'implementer-2',
      runs: [{ agentId: 'implementer-2', taskId: 2 }],
    })
    expect((await json<{ runs: unknown[] }>('agent', 'show', 'implementer-2')).runs).toHaveLength(1)
  })

  test.each(['nobody', 'human', 'aiswarm'])('with the unknown name %s is refused', async (id) => {
    const { refused } = await openTerminal()
    expect(await refused('agent', 'show', id)).toEqual({
      exit: 1,
      code: 'not_found',
      message: `There is no agent ${id}. 'aiswarm agent list --all' lists the agents.`,
    })
  })
})

describe('a spawned agent', () => {
  const afterOneTask = async (...flags: string[]) => {
    const board = await openBoard(2)
    await board.json('agent', 'spawn', '--persona', 'implementer', '--kind', 'claude', ...flags)
    expect((await board.dispatched()).started[0]).toEqual({ taskId: 1, agentId: 'implementer-1' })
    await board.launched('implementer-1', 1)
    await board.ended('implementer-1', 1, 0)
    expect(await board.json('task', 'show', '1')).toMatchObject({ status: 'completed' })
    return board
  }

  test('with --once ends after one task, and another agent takes the next', async () => {
    const { json, dispatched } = await afterOneTask('--once')
    expect(await json('agent', 'show', 'implementer-1')).toMatchObject({ status: 'terminated', exitCode: 0 })
    expect((await dispatched()).started).toEqual([{ taskId: 2, agentId: 'implementer-2' }])
    expect(await json('agent', 'list', '--all')).toMatchObject([
      { id: 'implementer-1', status: 'terminated' },
      { id: 'implementer-2' },
    ])
  })

  test.each([['with --task-mode', ['--task-mode']] as const, ['without either', []] as const])(
    'with %s stays for the next task',
    async (_, flags) => {
      const { json, dispatched } = await afterOneTask(...flags)
      expect(await json('agent', 'show', 'implementer-1')).toMatchObject({
        status: 'idle',
        process: 'waiting',
        taskId: null,
      })
      expect((await dispatched()).started).toEqual([{ taskId: 2, agentId: 'implementer-1' }])
      expect(await json('agent', 'show', 'implementer-1')).toMatchObject({ process: 'wanted', run: 2, taskId: 2 })
    },
  )

  test('with --task-mode ends when no task is left for its persona', async () => {
    const { json, dispatched } = await openBoard(0)
    await json('task', 'add', 'Test it', '--persona', 'tester')
    expect(await json('agent', 'spawn', '--persona', 'implementer', '--kind', 'claude', '--task-mode')).toMatchObject({
      status: 'idle',
      process: 'waiting',
      taskId: null,
    })
    expect(await dispatched()).toMatchObject({ started: [], retired: ['implementer-1'] })
    expect(await json('agent', 'show', 'implementer-1')).toMatchObject({
      status: 'terminated',
      stopReason: 'no tasks left',
      runs: [],
    })
  })

  test.each([
    ['--once', ['--once', '--task-mode']],
    ['--once, the other way round', ['--task-mode', '--once']],
    ['--task', ['--task-mode', '--task', '1']],
    ['--once in a dry run', ['--task-mode', '--once', '--dry-run']],
  ])('with --task-mode and %s is refused, and no row is created', async (_, flags) => {
    const { refused, json } = await openBoard(1)
    expect(await refused('agent', 'spawn', '--persona', 'implementer', '--kind', 'claude', ...flags)).toEqual({
      exit: 2,
      code: 'invalid_input',
      message: '--task-mode runs all tasks for the persona. Omit --once and --task.',
    })
    expect(await json('agent', 'list', '--all')).toEqual([])
    expect(await json('task', 'show', '1')).toMatchObject({ status: 'pending' })
  })

  test('with --once and --task holds that task at once', async () => {
    const { json, run } = await openBoard(1)
    expect(await json('agent', 'spawn', '--persona', 'implementer', '--once', '--task', '1')).toMatchObject({
      kind: 'claude',
      taskId: 1,
      process: 'wanted',
    })
    expect((await run('agent', 'list')).out).toContain('implementer-1  implementer  claude  starting')
  })

  test.each([[[]], [['--once']], [['--task-mode']]])(
    'of an unknown kind is refused with the list of known kinds (%j)',
    async (flags) => {
      const { refused, json } = await openTerminal()
      expect(await refused('agent', 'spawn', '--persona', 'implementer', '--kind', 'nonsense', ...flags)).toEqual({
        exit: 1,
        code: 'missing_binary',
        message: "Agent kind 'nonsense' is unknown. The known kinds are command, claude.",
      })
      expect(await json('agent', 'list', '--all')).toEqual([])
    },
  )
})

describe('the request of a task for a kind or model', () => {
  test('is stored in its metadata', async () => {
    const { json } = await openTerminal()
    expect(await json('task', 'add', 'A', '--persona', 'tester', '--kind', 'claude', '--model', 'opus')).toMatchObject({
      metadata: { cli: 'claude', model: 'opus' },
    })
    expect(
      (await json<{ metadata: unknown }>('task', 'add', 'B', '--persona', 'tester', '--kind', 'claude')).metadata,
    ).toEqual({ cli: 'claude' })
    expect(
      (await json<{ metadata: unknown }>('task', 'add', 'C', '--persona', 'tester', '--model', 'opus')).metadata,
    ).toEqual({ model: 'opus' })
    expect((await json<{ metadata: unknown }>('task', 'add', 'D', '--persona', 'tester')).metadata).toBe(null)
  })

  test('is merged into the other metadata, and wins over it', async () => {
    const { json } = await openTerminal()
    const words = [
      'task',
      'add',
      'A',
      '--persona',
      'tester',
      '--metadata',
      '{"tier": 2, "cli": "gemini", "model": "pro"}',
    ]
    expect((await json<{ metadata: unknown }>(...words, '--kind', 'claude')).metadata).toEqual({
      tier: 2,
      cli: 'claude',
      model: 'pro',
    })
    expect((await json<{ metadata: unknown }>(...words, '--model', 'opus')).metadata).toEqual({
      tier: 2,
      cli: 'gemini',
      model: 'opus',
    })
  })

  test.each(['[1]', '"x"', '7', 'true', 'null'])(
    'is refused together with metadata such as %s, and no task is created',
    async (metadata) => {
      const { refused, json } = await openTerminal()
      for (const wish of [
        ['--kind', 'claude'],
        ['--model', 'opus'],
      ]) {
        expect(await refused('task', 'add', 'A', '--persona', 'tester', '--metadata', metadata, ...wish)).toEqual({
          exit: 2,
          code: 'invalid_input',
          message: '--kind and --model are stored in the metadata. Pass a JSON object as --metadata.',
        })
      }
      expect(await json('task', 'list')).toEqual([])
    },
  )

  test.each([null, false, 0, '', []])('may sit next to any JSON value: %j is kept unchanged', async (metadata) => {
    const { json } = await openTerminal()
    expect(
      (
        await json<{ metadata: unknown }>(
          'task',
          'add',
          'A',
          '--persona',
          'tester',
          '--metadata',
          JSON.stringify(metadata),
        )
      ).metadata,
    ).toEqual(metadata)
  })

  test('decides which agent is started for it', async () => {
    const { json, dispatched } = await openBoard(1)
    expect((await dispatched()).started).toEqual([{ taskId: 1, agentId: 'implementer-1' }])
    expect(await json('agent', 'show', 'implementer-1')).toMatchObject({ kind: 'claude', parentAgentId: null })
  })

  test('does not apply to a task with a command', async () => {
    const { json, dispatched } = await openBoard(0)
    await json('task', 'add', 'Run the tests', '--persona', 'tester', '--kind', 'claude', '--command', 'npm test')
    expect((await dispatched()).started).toEqual([{ taskId: 1, agentId: 'tester-1' }])
    expect(await json('agent', 'show', 'tester-1')).toMatchObject({ kind: 'command' })
  })

  test('makes the task wait if the kind is unknown, and lists the known kinds', async () => {
    const { json, dispatched, refused } = await openBoard(0)
    expect(await json('task', 'add', 'A', '--persona', 'tester', '--metadata', '{"cli": "nonsense"}')).toMatchObject({
      id: 1,
      status: 'pending',
    })
    expect(await dispatched()).toEqual({
      next: null,
      started: [],
      held: [{ taskId: 1, why: "agent kind 'nonsense' is unknown; the known kinds are command, claude" }],
      retired: [],
    })
    expect(await refused('agent', 'spawn', '--persona', 'tester', '--task', '1')).toEqual({
      exit: 1,
      code: 'missing_binary',
      message: "Agent kind 'nonsense' is unknown. The known kinds are command, claude.",
    })
    expect(await json('agent', 'list', '--all')).toEqual([])
  })

  test('is refused if --kind is unknown', async () => {
    const { json, refused } = await openTerminal()
    expect(await refused('task', 'add', 'A', '--persona', 'tester', '--kind', 'nonsense')).toEqual({
      exit: 1,
      code: 'missing_binary',
      message: "Agent kind 'nonsense' is unknown. The known kinds are command, claude.",
    })
    expect(await json('task', 'list')).toEqual([])
  })

  test.each(['--kind', '--model'])('is refused if %s is empty', async (word) => {
    const { json, refused } = await openTerminal()
    for (const nothing of ['', ' '])
      expect(await refused('task', 'add', 'A', '--persona', 'tester', word, nothing)).toMatchObject({
        exit: 2,
        code: 'invalid_input',
      })
    expect(await json('task', 'list')).toEqual([])
  })

  test('is overruled by the person who spawns the agent', async () => {
    const { json } = await openTerminal()
    await json('task', 'add', 'A', '--persona', 'tester', '--metadata', '{"cli": "nonsense"}')
    expect(await json('agent', 'spawn', '--persona', 'tester', '--task', '1', '--kind', 'claude')).toMatchObject({
      kind: 'claude',
      taskId: 1,
    })
  })
})

describe('the commits of a task', () => {
  const commit = (oid: string, subject: string) => ({ oid: oid.repeat(5), author: 'backend-1', at: now, subject })

  /** Attempt 1 failed after two commits; attempt 2 completed after one. */
  const openCommitted = async () => {
    const terminal = await openTerminal()
    const { json, core } = terminal
    const record = (attempt: number, commits: ReturnType<typeof commit>[]) =>
      perform(core, recordCommits, { taskId: 1, attempt, branch: 'feature/user-auth', commits }, system())
    await json('worktree', 'create', 'user-auth', '--branch', 'feature/user-auth')
    await json('task', 'add', 'Login form', '--persona', 'implementer', '--worktree', 'user-auth')
    await json('agent', 'register', 'backend-1', '--persona', 'implementer')
    await json('agent', 'register', 'backend-2', '--persona', 'implementer')
    await json('task', 'claim', '1', '--agent', 'backend-1')
    await json('task', 'fail', '1', '--agent', 'backend-1', '--error', 'boom')
    expect(await record(1, [commit('c0ffee01', 'Add login'), commit('abad1dea', 'Try\u001b[2J again')])).toEqual({
      recorded: true,
    })
    await json('task', 'retry', '1')
    await json('task', 'claim', '1', '--agent', 'backend-2')
    await json('task', 'complete', '1', '--agent', 'backend-2')
    return { ...terminal, record, second: () => record(2, [commit('deadbeef', 'Log in')]) }
  }

  test('are shown in order below the attempt that made them', async () => {
    const { json, second } = await openCommitted()
    await second()
    const view = (oid: string, subject: string) => ({
      oid: oid.repeat(5),
      branch: 'feature/user-auth',
      author: 'backend-1',
      committedAt: now,
      subject,
    })
    expect((await json<{ attempts: unknown }>('task', 'show', '1')).attempts).toMatchObject([
      {
        attempt: 1,
        agentId: 'backend-1',
        outcome: 'failed',
        error: 'boom',
        commits: [view('c0ffee01', 'Add login'), view('abad1dea', 'Try\u001b[2J again')],
      },
      { attempt: 2, agentId: 'backend-2', outcome: 'completed', error: null, commits: [view('deadbeef', 'Log in')] },
    ])
  })

  test('are printed for a person below the attempt, indented and escaped', async () => {
    const { run, second } = await openCommitted()
    await second()
    const { out } = await run('task', 'show', '1')
    expect(out).toContain(
      'Attempts\n' +
        '  1 by backend-1: failed, boom\n' +
        '    c0ffee01c Add login (feature/user-auth)\n' +
        '    abad1deaa Try again (feature/user-auth)\n' +
        '  2 by backend-2: completed\n' +
        '    deadbeefd Log in (feature/user-auth)\n',
    )
  })

  test('are recorded once per attempt', async () => {
    const { json, record } = await openCommitted()
    expect(await record(1, [commit('deadbeef', 'Too late')])).toEqual({ recorded: false })
    expect(
      (await json<{ attempts: { commits: unknown[] }[] }>('task', 'show', '1')).attempts.map(
        ({ commits }) => commits.length,
      ),
    ).toEqual([2, 0])
  })

  test('that occur in two attempts are shown in both', async () => {
    const { json, record } = await openCommitted()
    await record(2, [commit('c0ffee01', 'Add login')])
    expect(
      (await json<{ attempts: { commits: unknown[] }[] }>('task', 'show', '1')).attempts.map(
        ({ commits }) => commits.length,
      ),
    ).toEqual([2, 1])
  })
})

test('a task shows the usage of each attempt', async () => {
  const { json, run, dispatched, launched, ended } = await openBoard(1)
  await dispatched()
  await launched('implementer-1', 1)
  await ended('implementer-1', 1, 0, done, { tokensIn: 1200, tokensOut: 300, costUsd: 0.5 })
  expect(await json('task', 'show', '1')).toMatchObject({
    attempts: [{ attempt: 1, outcome: 'completed', tokensIn: 1200, tokensOut: 300, costUsd: 0.5, commits: [] }],
  })
  expect((await run('task', 'show', '1')).out).toContain(
    '1 by implementer-1: completed, 1200 tokens in, 300 out, $0.5000\n',
  )
})
