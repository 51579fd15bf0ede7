import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { git, openSwarm, until } from '../../effects/swarm.ts'
import { processesMarked } from '../../../src/effects/processes/table.ts'
import { connect, connectAs, type Message, startRaw } from '../client.ts'

const call = (name: string, input: object = {}) => ({ name, arguments: input })
const refusalOf = (message: Message): { code: string } =>
  (JSON.parse((message.result!['content'] as { text: string }[])[0]!.text) as { error: { code: string } }).error

/** The peak memory of a process so far (MB); 0 if the system does not report it. */
const mostMemoryOf = (pid: number): number => {
  const status = process.platform === 'linux' ? readFileSync(`/proc/${pid}/status`, 'utf8') : ''
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024
}

describe('the MCP server', () => {
  it('speaks the versions that clients request, and answers unknown methods', async () => {
    const { root } = await openSwarm()
    const server = startRaw(root)
    // Copilot asks this before it initializes.
    expect(await server.ask('server/discover')).toMatchObject({ error: { code: -32601 } })
    for (const protocolVersion of ['2025-11-25', '2025-06-18', '2024-11-05']) {
      const { result } = await server.ask('initialize', {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: 'raw', version: '1' },
      })
      expect(result).toMatchObject({ protocolVersion, serverInfo: { name: 'aiswarm' } })
    }
    // OpenCode cancels calls that were already answered.
    server.send({ method: 'notifications/cancelled', params: { requestId: 999, reason: 'late' } })
    expect(await server.ask('tools/call', call('no_such_tool'))).toMatchObject({ error: { code: -32602 } })
    expect((await server.ask('tools/list')).result).toHaveProperty('tools')
    expect((await server.ask('ping')).result).toEqual({})
  })

  it('answers an invalid message, and continues', async () => {
    const { root } = await openSwarm()
    const server = startRaw(root)
    await server.initialise()
    const problems = (): readonly (number | undefined)[] =>
      server.messages().flatMap((message) => (message.id === null ? [message.error?.code] : []))
    server.write('garbage\n{"jsonrpc":"2.0",\n\n[]\n42\n{"jsonrpc":"1.0","id":7,"method":"ping"}\n')
    expect((await server.answerTo(7)).error?.code).toBe(-32600)
    expect(problems()).toEqual([-32700, -32700, -32600, -32600])
    server.write(`${'['.repeat(100_000)}\n`)
    await until('its answer', () => problems().length === 5)
    const half = JSON.stringify({ jsonrpc: '2.0', id: 'half', method: 'ping' })
    server.write(half.slice(0, 20))
    server.write(`${half.slice(20)}\r\n`)
    expect((await server.answerTo('half')).result).toEqual({})
    server.write('\u0000\ufffd\n')
    await until('its answer', () => problems().length === 6)
    expect((await server.ask('ping')).result).toEqual({})
  })

  it('discards a message of 400 MB without keeping it in memory', async () => {
    const { root } = await openSwarm()
    const server = startRaw(root)
    await server.initialise()
    const before = mostMemoryOf(server.child.pid!)
    const piece = Buffer.alloc(1024 * 1024, 'x')
    for (let sent = 0; sent < 400; sent++)
      if (!server.child.stdin!.write(piece)) await once(server.child.stdin!, 'drain')
    server.write('\n')
    expect((await server.answerTo(null)).error?.message).toBe(
      'A message may have at most 1048576 bytes; this one had 419430400.',
    )
    expect((await server.ask('ping')).result).toEqual({})
    // Kept in memory, it would need at least 400 MB; the rest is garbage that was not collected yet.
    expect(mostMemoryOf(server.child.pid!) - before).toBeLessThan(300)
  })

  it('names the id of a message that is too long, if the id is near its start or end', async () => {
    const { root } = await openSwarm()
    const server = startRaw(root)
    await server.initialise()
    const params = { name: 'get_personas', arguments: { text: 'é'.repeat(1024 * 1024) } }
    server.send({ id: 'first', method: 'tools/call', params })
    server.write(`${JSON.stringify({ method: 'tools/call', params, jsonrpc: '2.0', id: 77 })}\n`)
    server.send({ method: 'notifications/long', params })
    expect((await server.answerTo('first')).error).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/^A message may have at most 1048576 bytes; this one had 2097\d+\.$/) as string,
    })
    expect((await server.answerTo(77)).error).toMatchObject({ code: -32600 })
    expect((await server.answerTo(null)).error).toMatchObject({ code: -32600 })
    expect((await server.ask('ping')).result).toEqual({})
  })

  it("refuses a call of the SDK's own client that is too long, and continues", async () => {
    const { root } = await openSwarm()
    const { client } = await connect(root, { built: true })
    await expect(
      client.callTool({ name: 'get_personas', arguments: { text: 'x'.repeat(2 * 1024 * 1024) } }),
    ).rejects.toThrow('A message may have at most 1048576 bytes')
    expect(await client.ping()).toEqual({})
  })

  it('accepts a hundred calls at once and twenty per second, and refuses the others with a message', async () => {
    const { root } = await openSwarm()
    const server = startRaw(root)
    await server.initialise()
    const begun = performance.now()
    for (let id = 1000; id < 11_000; id++) server.send({ id, method: 'tools/call', params: call('get_personas') })
    const answers = await until('ten thousand answers', () => {
      const found = server.messages().filter(({ id }) => typeof id === 'number' && id >= 1000)
      return found.length === 10_000 && found
    })
    const refused = answers.filter(({ result }) => result!['isError'] === true)
    expect(new Set(refused.map((answer) => refusalOf(answer).code))).toEqual(new Set(['rate_limited']))
    const seconds = (performance.now() - begun) / 1000
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(100)
    expect(answers.length - refused.length).toBeLessThanOrEqual(100 + Math.ceil(20 * seconds))
  })

  it('writes only messages to standard output, whatever else prints', async () => {
    const { root } = await openSwarm({ config: 'session:\n  maxparallel: 3\n' })
    // In single quotes, because the options lose other quotes, and the rest of the line would be a syntax error.
    const server = startRaw(root, {
      NODE_OPTIONS: "--import=data:text/javascript,process.on('SIGUSR2',()=>console.log('noise'))",
    })
    await server.initialise()
    server.child.kill('SIGUSR2')
    await until('the noise', () => server.err().includes('noise'))
    expect(server.err()).toContain('unknown key session.maxparallel')
    expect(server.messages().every((message) => 'id' in message)).toBe(true)
  })
})

describe('the end of a server', () => {
  it('comes with the end of its input, after the last answer', async () => {
    const { root, core } = await openSwarm()
    const server = startRaw(root)
    await server.initialise()
    server.send({
      id: 'last',
      method: 'tools/call',
      params: call('create_task', { title: 'the last', personaId: 'implementer' }),
    })
    server.child.stdin!.end()
    expect((await server.ended).code).toBe(0)
    expect(await perform(core, listTasks, {}, person)).toMatchObject([{ title: 'the last' }])
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('comes on %s', async (signal) => {
    const { root } = await openSwarm()
    const server = startRaw(root)
    await server.initialise()
    server.child.kill(signal)
    expect(await server.ended).toMatchObject({ code: 0, err: '' })
  })

  it('comes while a call waits', async () => {
    const swarm = await openSwarm()
    const { environment, client } = await connectAs(swarm, 'backend-1', { built: true })
    await client.close()
    const server = startRaw(swarm.root, environment)
    await server.initialise()
    server.send({ id: 'wait', method: 'tools/call', params: call('heartbeat_and_get_tasks', { waitSeconds: 50 }) })
    await server.ask('ping')
    server.child.stdin!.end()
    expect((await server.ended).code).toBe(0)
    await until(
      'the end of both servers',
      () => processesMarked({ AISWARM_AGENT_ID: 'backend-1', AISWARM_ROOT: swarm.root }).length === 0,
    )
  })
})

describe('a call that waits for work', () => {
  it('returns after a commit of another process, and only then', async () => {
    const swarm = await openSwarm()
    const { call: ask } = await connectAs(swarm, 'backend-1', { built: true })
    const other = await connect(swarm.root, { built: true })
    let found = false
    const waiting = ask('heartbeat_and_get_tasks', { waitSeconds: 50 }).then((told) => {
      found = true
      return told
    })
    await other.call('create_task', { title: 'for a tester', personaId: 'tester' })
    expect(found).toBe(false)
    await other.call('create_task', { title: 'for you', personaId: 'implementer' })
    expect(await waiting).toMatchObject({ tasks: [{ title: 'for you' }] })
  })

  it('returns existing work at once, and nothing after its timeout', async () => {
    const swarm = await openSwarm()
    const { call: ask } = await connectAs(swarm, 'backend-1', { built: true })
    expect(await ask('heartbeat_and_get_tasks', { waitSeconds: 0.2 })).toMatchObject({
      isError: false,
      tasks: [],
      instructions: expect.stringContaining('No task for you') as string,
    })
    await swarm.task({ title: 'early' })
    expect(await ask('heartbeat_and_get_tasks', { waitSeconds: 50 })).toMatchObject({ tasks: [{ title: 'early' }] })
    expect(await ask('heartbeat_and_get_tasks', { waitSeconds: 51 })).toMatchObject({
      isError: true,
      code: 'invalid_input',
    })
  })
})

describe('an identity', () => {
  it('that is wrong or expired is refused', async () => {
    const swarm = await openSwarm()
    await perform(swarm.core, registerAgent, { id: 'backend-1', personaId: 'implementer' }, person)
    const wrong = startRaw(swarm.root, { AISWARM_AGENT_ID: 'backend-1', AISWARM_AGENT_TOKEN: 'guessed' })
    // An IDE shows the answer to initialize, and nothing that a server prints.
    const refused = {
      error: { code: -32000, message: 'The token of agent backend-1 is not valid, or its run has ended.' },
    }
    expect(await wrong.ask('server/discover')).toMatchObject(refused)
    expect(await wrong.initialise()).toMatchObject(refused)
    expect(await wrong.ended).toMatchObject({ code: 1, err: expect.stringContaining('not valid') as string })
  })

  it('keeps its agent alive', async () => {
    const swarm = await openSwarm({ config: 'lease: {ttl: 2s, heartbeat: 100ms}\n' })
    const { id } = await swarm.task({})
    const { call: ask } = await connectAs(swarm, 'backend-1', { built: true })
    const claimed = (await ask('claim_task', { taskId: id })) as unknown as { leaseExpiresAt: string }
    await until('a longer lease', async () => ((await swarm.show(id)).leaseExpiresAt ?? '') > claimed.leaseExpiresAt)
  })
})

describe('a resource', () => {
  it('shows the board, a task or the worktrees, and reports changes', async () => {
    const swarm = await openSwarm()
    await swarm.build('auth')
    await swarm.task({ title: 'Login' })
    const { client, call: ask } = await connect(swarm.root, { built: true })
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      'aiswarm://tasks',
      'aiswarm://worktrees',
    ])
    expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'aiswarm://tasks/{id}',
    ])
    const read = async (uri: string): Promise<unknown> =>
      JSON.parse(((await client.readResource({ uri })).contents[0] as { text: string }).text)
    expect(await read('aiswarm://tasks')).toMatchObject([{ id: 1, title: 'Login', status: 'pending' }])
    expect(await read('aiswarm://tasks/1')).toMatchObject({ title: 'Login', attempts: [] })
    expect(await read('aiswarm://worktrees')).toMatchObject([{ name: 'auth' }])
    await expect(read('aiswarm://tasks/99')).rejects.toThrow('There is no task 99')
    await expect(read('file:///etc/passwd')).rejects.toThrow('There is no resource')
    const told: string[] = []
    client.fallbackNotificationHandler = (notification) => {
      told.push(`${notification.method} ${(notification.params as { uri: string }).uri}`)
      return Promise.resolve()
    }
    await client.subscribeResource({ uri: 'aiswarm://tasks' })
    await ask('create_task', { title: 'Logout', personaId: 'implementer' })
    await until('the notification', () => told.includes('notifications/resources/updated aiswarm://tasks'))
  })

  it('may be subscribed to before it exists, and reports that it exists', async () => {
    const swarm = await openSwarm()
    const { client, call: ask } = await connect(swarm.root, { built: true })
    const told: string[] = []
    client.fallbackNotificationHandler = (notification) => {
      told.push((notification.params as { uri: string }).uri)
      return Promise.resolve()
    }
    // The conformance suite of the protocol uses an address that only its example server knows.
    expect(await client.subscribeResource({ uri: 'test://watched-resource' })).toEqual({})
    expect(await client.subscribeResource({ uri: 'aiswarm://tasks/1' })).toEqual({})
    await ask('create_task', { title: 'Login', personaId: 'implementer' })
    await until('the notification', () => told.includes('aiswarm://tasks/1'))
    expect(told).not.toContain('test://watched-resource')
    expect(await client.unsubscribeResource({ uri: 'test://watched-resource' })).toEqual({})
    await expect(client.subscribeResource({ uri: `test://${'a'.repeat(2000)}` })).rejects.toThrow(
      'may have at most 2000 characters',
    )
  })
})

it('every persona has a prompt', async () => {
  const swarm = await openSwarm()
  const { client } = await connect(swarm.root, { built: true })
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['planner', 'implementer', 'reviewer', 'tester']),
  )
  const { messages } = await client.getPrompt({ name: 'planner' })
  expect((messages[0]!.content as { text: string }).text).toContain('You plan')
  await expect(client.getPrompt({ name: 'human' })).rejects.toThrow('There is no persona human')
})

it('the MCP server works inside a linked worktree', async () => {
  const swarm = await openSwarm()
  const path = await swarm.build('auth')
  await swarm.task({ title: 'Login' })
  const { call: ask } = await connect(path, { cwd: path })
  expect(await ask('get_task_tree')).toMatchObject({ tasks: [{ title: 'Login' }] })
  expect(git(path, 'status', '--porcelain')).toBe('')
})
