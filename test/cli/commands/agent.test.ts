import { expect, test } from 'vitest'
import { setAgent } from '../../../src/db/agents.ts'
import { system } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { openTerminal } from '../terminal.ts'

test('an agent is registered, beats, is listed and is deregistered', async () => {
  const { json, run } = await openTerminal()
  expect(await json('agent', 'register', 'backend-1', '--persona', 'implementer')).toMatchObject({
    id: 'backend-1',
    token: 'token-1',
  })
  expect(await json('agent', 'heartbeat', 'backend-1')).toMatchObject({
    id: 'backend-1',
    lastHeartbeat: '2026-01-30T14:22:30.000Z',
  })
  expect(await json('agent', 'list')).toMatchObject([
    {
      id: 'backend-1',
      personaId: 'implementer',
      kind: 'external',
      processId: null,
      assignedWorktree: null,
      parentAgentId: null,
      lastHeartbeat: '2026-01-30T14:22:30.000Z',
      taskId: null,
      exitCode: null,
    },
  ])
  expect((await run('agent', 'list')).out).toContain('AGENT      PERSONA      KIND')
  expect(await json('agent', 'deregister', 'backend-1')).toMatchObject({ status: 'terminated' })
  expect(await json('agent', 'list')).toEqual([])
  expect(await json('agent', 'list', '--all')).toMatchObject([{ id: 'backend-1', status: 'terminated' }])
})

test('agents are listed with their hosts when one runs on another host than the first', async () => {
  const { core, run } = await openTerminal()
  await run('agent', 'register', 'backend-1', '--persona', 'implementer')
  expect((await run('agent', 'list')).out).not.toContain('HOST')
  const { secret } = await perform(core, makeJoinCode, {}, system())
  await perform(core, joinHost, { secret, hostId: 'bbbbbbbb', name: 'build-2', machine: 'm', root: '/b' }, system())
  await core.store.write((db) => setAgent(db, 'backend-1', { host_id: 'bbbbbbbb' }))
  expect((await run('agent', 'list')).out).toMatch(/ TASK +HOST +WORKTREE\n.* build-2 /)
  expect((await run('agent', 'show', 'backend-1')).out).toMatch(/^host +build-2$/m)
})

test('the token is also printed for a person', async () => {
  const { run } = await openTerminal()
  expect((await run('agent', 'register', 'backend-1', '--persona', 'implementer')).out).toMatch(/token-1\n$/)
})

test('a spawned agent is listed at once and can be stopped with a reason', async () => {
  const wishes: unknown[] = []
  const { json } = await openTerminal({ outside: { carryOut: (wish) => Promise.resolve(void wishes.push(wish)) } })
  expect(await json('agent', 'spawn', '--persona', 'implementer', '--kind', 'claude')).toMatchObject({
    id: 'implementer-1',
    kind: 'claude',
    parentAgentId: 'human',
  })
  await json('agent', 'terminate', 'implementer-1', '--reason', 'runs in circles')
  expect(await json('agent', 'list', '--all')).toMatchObject([{ id: 'implementer-1', stopReason: 'runs in circles' }])
})

test('an agent is spawned for one task', async () => {
  const { json, refused } = await openTerminal()
  await json('task', 'add', 'Run the tests', '--persona', 'tester', '--command', 'npm test')
  expect(await json('agent', 'spawn', '--persona', 'tester', '--task', '1')).toMatchObject({
    kind: 'command',
    taskId: 1,
    process: 'wanted',
  })
  expect(await refused('agent', 'spawn', '--persona', 'tester', '--kind', 'nonsense')).toMatchObject({
    exit: 1,
    code: 'missing_binary',
  })
})

test('a dry run shows the command it would start and creates no row', async () => {
  const launch = {
    argv: ['claude', '-p', 'do'],
    cwd: '/shop',
    stdin: 'You are\nimplementer-1.',
    files: [{ path: '/shop/prompt.md', content: 'Do it.\nWell.' }],
    environment: { AISWARM_AGENT_ID: 'implementer-1' },
    unasked: 'It cannot ask.',
    limits: '2.0G of memory, in a cgroup',
    sandbox: {
      files: [
        { path: '/', access: 'read-only' },
        { path: '/home/ada', access: 'private' },
      ],
      network: 'none',
      notes: ['The MCP server own cannot start in the sandbox.'],
    },
  }
  const { json, run } = await openTerminal({ services: { dryRun: () => Promise.resolve(launch) } })
  expect(await json('agent', 'spawn', '--persona', 'implementer', '--dry-run')).toEqual(launch)
  expect((await run('agent', 'spawn', '--persona', 'implementer', '--dry-run')).out).toMatch(
    /permissions +It cannot ask\.\nlimits +2\.0G of memory, in a cgroup\n[^]*⚠ The MCP server own cannot start in the sandbox\.\n[^]*Standard input\n {2}You are\n {2}implementer-1\.[^]*\/shop\/prompt\.md\n {2}Do it\.\n {2}Well\./,
  )
  expect(await json('agent', 'list', '--all')).toEqual([])
})

test('the log of an agent merges its notes with the output of its process', async () => {
  const printed = 'compiling \u001b]0;title\u0007\ndone\n'
  const readOutput = (_: string, from: { offset: number } | { tail: number }) => {
    const offset = 'tail' in from ? 0 : from.offset
    // Pieces of ten bytes, so that the command has to read on.
    const text = 'tail' in from ? printed : printed.slice(offset, offset + 10)
    return Promise.resolve({ text, next: offset + text.length, size: printed.length })
  }
  const { json, run } = await openTerminal({ outside: { readOutput, readRawOutput: readOutput } })
  await json('task', 'add', 'Build', '--persona', 'implementer')
  await json('agent', 'register', 'backend-1', '--persona', 'implementer')
  await json('task', 'claim', '1', '--agent', 'backend-1')
  await json('task', 'progress', '1', '--agent', 'backend-1', '--note', 'begun')
  expect(await json('agent', 'logs', 'backend-1')).toMatchObject([
    { source: 'note', taskId: 1, agentId: 'backend-1', level: 'info', message: 'begun' },
    { source: 'output', agentId: 'backend-1', message: 'compiling \u001b]0;title\u0007' },
    { source: 'output', agentId: 'backend-1', message: 'done' },
  ])
  expect((await run('agent', 'logs', 'backend-1')).out).toMatch(/begun\ncompiling\ndone\n$/)
  expect((await run('agent', 'logs', 'backend-1', '--raw')).out).toBe(printed)
  expect(await json('agent', 'logs', 'backend-1', '--raw')).toEqual({ agentId: 'backend-1', output: printed })
})

test('the log of an unknown agent is refused', async () => {
  const { refused } = await openTerminal()
  expect(await refused('agent', 'logs', 'nobody')).toMatchObject({ exit: 1, code: 'not_found' })
})

test('a message is said to several agents and listed with its receipt', async () => {
  const { json, run, refused } = await openTerminal()
  for (const id of ['backend-1', 'backend-2']) await json('agent', 'register', id, '--persona', 'implementer')
  expect((await run('agent', 'say', 'backend-1', 'Use the form.', '--also', 'backend-2', '--when', 'turn')).out).toBe(
    '1  queued (at the end of the turn)  human → backend-1  "Use the form."\n2  queued (at the end of the turn)  human → backend-2  "Use the form."\n',
  )
  expect(await json('agent', 'messages', 'backend-2')).toMatchObject([
    { id: 2, status: 'queued', text: 'Use the form.' },
  ])
  expect(await refused('agent', 'say', 'backend-1', '')).toMatchObject({ exit: 2 })
  expect(await refused('agent', 'stop-turn', 'backend-1')).toMatchObject({ exit: 1, code: 'invalid_state' })
})
