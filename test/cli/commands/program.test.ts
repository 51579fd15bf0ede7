import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunSummary } from '../../../src/cli/call/services.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { openTerminal } from '../terminal.ts'
import { connectionOf } from '../../support/store.ts'

describe('run', () => {
  const ending = (summary: Partial<RunSummary>) => ({
    supervise: (_: string, { line }: { line: (text: string) => void }) => {
      line('task 1 started')
      return Promise.resolve({ completed: 2, cancelled: 0, failed: [], waiting: [], stuck: [], ...summary })
    },
  })

  test('--until-idle exits with 0 when all tasks are completed', async () => {
    const { run } = await openTerminal({ services: ending({}) })
    expect(await run('run', '--until-idle')).toEqual({ code: 0, out: 'task 1 started\n2 tasks completed.\n', err: '' })
  })

  test('--until-idle exits with 3 when tasks have failed or wait', async () => {
    expect(await (await openTerminal({ services: ending({ failed: [3] }) })).run('run', '--until-idle')).toMatchObject({
      code: 3,
    })
    const waits = await openTerminal({ services: ending({ waiting: [{ taskId: 4, why: 'blocked by 3' }] }) })
    expect(await waits.run('run', '--until-idle')).toMatchObject({
      code: 3,
      out: 'task 1 started\n2 tasks completed.\nTask 4 waits: blocked by 3\n',
    })
    expect(await waits.run('run')).toMatchObject({ code: 0 })
    const stuck = await openTerminal({
      services: ending({ stuck: [{ worktree: 'auth', why: 'its merge into main has started but not ended' }] }),
    })
    expect(await stuck.run('run', '--until-idle')).toMatchObject({
      code: 3,
      out: expect.stringContaining('Worktree auth is stuck: its merge into main has started but not ended.') as string,
    })
  })

  test('--report resolves a path from the current folder', async () => {
    const reports: (string | null)[] = []
    const supervise = (_: string, { report }: { report: string | null }) => {
      reports.push(report)
      return Promise.resolve({ completed: 0, cancelled: 0, failed: [], waiting: [], stuck: [] })
    }
    const { run } = await openTerminal({ services: { supervise } })
    await run('run', '--until-idle', '--report', 'junit.xml')
    await run('run', '--until-idle')
    expect(reports).toEqual([resolve('junit.xml'), null])
  })

  test('--json keeps the progress lines off standard output', async () => {
    const { run } = await openTerminal({ services: ending({ failed: [3] }) })
    expect(await run('run', '--until-idle', '--json')).toEqual({
      code: 3,
      out: '{"completed":2,"cancelled":0,"failed":[3],"waiting":[],"stuck":[]}\n',
      err: 'task 1 started\n',
    })
  })
})

test('the console opens on a terminal', async () => {
  const opened: string[] = []
  const { run } = await openTerminal({
    environment: { TERM: 'xterm' },
    streams: { stdinIsTerminal: true, stdoutIsTerminal: true },
    services: { openConsole: (root) => Promise.resolve(void opened.push(root)) },
  })
  expect(await run('--root', '/shop')).toEqual({ code: 0, out: '', err: '' })
  expect(opened).toEqual(['/shop'])
})

test('the demo passes on its own exit code', async () => {
  const { run } = await openTerminal({
    services: { demo: ({ line }) => (line('agents are shell commands'), Promise.resolve(0)) },
  })
  expect(await run('demo')).toEqual({ code: 0, out: 'agents are shell commands\n', err: '' })
  expect(await run('demo', '--json')).toEqual({ code: 0, out: '{"exitCode":0}\n', err: 'agents are shell commands\n' })
})

test('init prints what it created', async () => {
  const { json, folder } = await openTerminal({
    services: { initialise: () => Promise.resolve(['.aiswarm/config.yaml']) },
  })
  expect(await json('init')).toEqual({
    root: join(folder, 'shop'),
    created: ['.aiswarm/config.yaml'],
    database: join(folder, 'shop/.aiswarm/coordination.db'),
  })
})

test('init creates project memory on request', async () => {
  let root = ''
  const { json, folder } = await openTerminal({
    services: {
      initialise: () => Promise.resolve([]),
      repositoryRoot: () => Promise.resolve(root),
      fileLock: () => Promise.resolve((_, work) => work()),
    },
  })
  root = join(folder, 'shop')
  const { created } = await json<{ created: string[] }>('init', '--memory')
  expect(created).toContain(join(root, 'context/meta/summary.md'))
  expect(existsSync(join(root, 'context/meta/timeline.md'))).toBe(true)
})

test('status prints one object', async () => {
  const { json, run, core } = await openTerminal()
  await perform(core, beginSession, { goal: 'Ship it' }, person)
  await json('task', 'add', 'Login form', '--persona', 'implementer')
  expect(await json('status')).toMatchObject({
    session: { status: 'running', goal: 'Ship it' },
    counts: { pending: 1, completed: 0 },
    agents: [],
    worktrees: [],
    attention: [{ kind: 'unstartable', taskId: 1 }],
  })
  expect((await run('status')).out).toContain('Tasks: 1 pending\n')
})

test('a watched status is printed again only after a change', async () => {
  const stop = new AbortController()
  let glances = 0
  const { run, json } = await openTerminal({
    streams: { signal: stop.signal },
    services: {
      nextChange: async () => {
        glances += 1
        if (glances === 2) await json('task', 'add', 'Login form', '--persona', 'implementer')
        if (glances === 3) stop.abort()
      },
    },
  })
  const said = await run('status', '--watch', '--json')
  expect(
    said.out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { counts: { pending: number } }).counts.pending),
  ).toEqual([0, 1])
})

describe('a persona', () => {
  test('is listed, shown and set from a file with front matter', async () => {
    const { json, folder } = await openTerminal()
    expect((await json<{ id: string }[]>('persona', 'list')).map((one) => one.id)).toEqual(
      expect.arrayContaining(['implementer', 'planner', 'reviewer', 'tester']),
    )
    writeFileSync(join(folder, 'lead.md'), '---\nname: Lead\nrole: planner\n---\nYou lead.\n---\nBy example.\n')
    expect(await json('persona', 'set', 'lead', '--file', join(folder, 'lead.md'))).toMatchObject({
      id: 'lead',
      name: 'Lead',
      role: 'planner',
      definition: 'You lead.\n---\nBy example.',
      source: 'set',
    })
    writeFileSync(join(folder, 'plain.md'), 'You translate.\n')
    expect(await json('persona', 'set', 'translator', '--file', join(folder, 'plain.md'))).toMatchObject({
      name: 'translator',
      role: 'worker',
    })
    expect(await json('persona', 'show', 'translator')).toMatchObject({ definition: 'You translate.' })
  })

  test.each([
    ['---\nrole: boss\n---\nYou rule.', /role/],
    ['---\ncolour: red\n---\nYou rule.', /unknown key 'colour'/],
    ['---\n- a\n---\nYou rule.', /keys with values/],
  ])('with invalid front matter exits with 2: %j', async (text, message) => {
    const { refused } = await openTerminal({ streams: { readInput: () => Promise.resolve(text) } })
    const refusal = await refused('persona', 'set', 'ruler', '--file', '-')
    expect(refusal).toMatchObject({ exit: 2, code: 'invalid_input' })
    expect(refusal.message).toMatch(message)
  })
})

test('a session is shown and ended', async () => {
  const { json, refused, core } = await openTerminal()
  expect(await refused('session', 'show')).toMatchObject({ exit: 1, code: 'not_found' })
  await perform(core, beginSession, {}, person)
  expect(await json('session', 'show')).toMatchObject({ status: 'running', tasks: { pending: 0 } })
  expect(await refused('session', 'end', '--status', 'running')).toMatchObject({ exit: 2 })
  expect(await json('session', 'end', '--status', 'aborted')).toMatchObject({ status: 'aborted' })
})

describe('the database', () => {
  test('prints its state, and is checked and copied', async () => {
    const { json, refused, folder, core } = await openTerminal()
    expect(await json('db', 'status')).toMatchObject({
      path: core.store.path,
      journalMode: 'wal',
      migrations: expect.arrayContaining([{ name: '001_InitialSchema.sql', state: 'applied' }]) as unknown,
    })
    expect(await json('db', 'migrate')).toMatchObject({
      migrations: expect.arrayContaining([{ name: '001_InitialSchema.sql', state: 'applied' }]) as unknown,
    })
    expect(await json('db', 'check')).toEqual({ ok: true, damaged: false, findings: [] })
    const copy = join(folder, 'copy.db')
    expect(await json('db', 'backup', copy)).toEqual({ path: copy })
    expect(existsSync(copy)).toBe(true)
    expect(await refused('db', 'backup', copy)).toMatchObject({ exit: 1, code: 'path_exists' })
  })

  test('makes db check exit with 1 if it is damaged', async () => {
    const { run, core } = await openTerminal()
    connectionOf(core.store).pragma('foreign_keys = OFF')
    connectionOf(core.store).exec('INSERT INTO task_dependencies (task_id, depends_on) VALUES (77, 78)')
    const said = await run('db', 'check', '--json')
    expect(said.code).toBe(1)
    expect(JSON.parse(said.out)).toMatchObject({
      ok: false,
      findings: [expect.stringContaining('task_dependencies'), expect.anything()],
    })
  })
})

test('doctor lists its findings', async () => {
  const { json, run } = await openTerminal({
    services: {
      diagnose: () =>
        Promise.resolve([
          { name: 'git', ok: true, detail: '2.48.1' },
          { name: 'claude', ok: false, detail: 'not on PATH' },
        ]),
    },
  })
  expect(await json('doctor')).toEqual([
    { name: 'git', ok: true, detail: '2.48.1' },
    { name: 'claude', ok: false, detail: 'not on PATH' },
  ])
  expect((await run('doctor')).out).toContain('missing  claude  not on PATH')
})
