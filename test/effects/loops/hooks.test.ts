import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import type { Hook } from '../../../src/domain/settings/hooks.ts'
import { deliver, hooksOf } from '../../../src/effects/loops/hooks.ts'
import { startSupervisor } from '../../../src/effects/loops/supervisor.ts'
import { processesMarked } from '../../../src/effects/processes/table.ts'
import type { World } from '../../../src/effects/world.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { temporaryFolder } from '../../support/core.ts'
import { connectionOf } from '../../support/store.ts'
import { commit, openSwarm, read, until, write } from '../swarm.ts'

interface Call {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: {
    readonly id: string
    readonly event: string
    readonly task?: { readonly id: number; readonly status: string }
    readonly worktree?: object
  }
}

/** A receiver on a port of its own that records its requests. */
const receiver = async (
  answer: (call: Call, response: ServerResponse) => void = (_, response) => response.end(),
  port = 0,
) => {
  const calls: Call[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const call: Call = { path: request.url!, headers: request.headers, body: JSON.parse(text) as Call['body'] }
      calls.push(call)
      answer(call, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  onTestFinished(stop)
  const { port: given } = server.address() as AddressInfo
  return { calls, port: given, url: `http://127.0.0.1:${given}/hook`, stop }
}

const supervise = (world: World) => {
  const reported: string[] = []
  const supervisor = startSupervisor({ ...world, report: (sentence) => reported.push(sentence) }, { maxParallel: 4 })
  onTestFinished(() => supervisor.stop())
  return Object.assign(supervisor, { reported })
}

describe('the configured hook', () => {
  it('posts the event as JSON, and a run that ends when idle has posted it', async () => {
    process.env['HOOK_TEST_WORD'] = 'swordfish'
    onTestFinished(() => void delete process.env['HOOK_TEST_WORD'])
    const { calls, url } = await receiver()
    const swarm = await openSwarm({
      config: `session: {maxRetries: 0}\non:\n  task.completed: [{post: "${url}", headers: {Authorization: "Bearer \${HOOK_TEST_WORD}"}}]\n  task.failed: {post: "${url}/failed"}\n`,
    })
    const supervisor = supervise(swarm.world)
    const [good, bad] = [await swarm.task({ command: 'true' }), await swarm.task({ command: 'exit 3' })]
    await supervisor.untilIdle()
    const byPath = (path: string) => calls.filter((call) => call.path === path)
    expect(calls).toHaveLength(2)
    expect(byPath('/hook')).toMatchObject([
      {
        headers: {
          authorization: 'Bearer swordfish',
          'content-type': 'application/json',
          'x-aiswarm-event': 'task.completed',
        },
        body: { event: 'task.completed', task: { id: good.id } },
      },
    ])
    expect(byPath('/hook')[0]!.headers['x-aiswarm-delivery']).toBe(byPath('/hook')[0]!.body.id)
    expect(byPath('/hook/failed')).toMatchObject([
      { body: { event: 'task.failed', task: { id: bad.id, status: 'failed', attempt: 1 } } },
    ])
    expect(supervisor.reported).toEqual([])
  })

  it('runs a command in the repository, with the JSON on its standard input', async () => {
    const swarm = await openSwarm({
      config: 'on: {task.completed: \'cat > told.json; echo "$AISWARM_EVENT $PWD $AISWARM_DELIVERY"\'}\n',
    })
    const supervisor = supervise(swarm.world)
    const { id } = await swarm.task({ command: 'true' })
    await supervisor.untilIdle()
    const told = JSON.parse(read(swarm.root, 'told.json')) as Call['body']
    expect(told).toMatchObject({ event: 'task.completed', task: { id, status: 'completed' } })
    expect(read(swarm.root, '.aiswarm/logs/hooks.log')).toContain(`task.completed ${swarm.root} ${told.id}\n`)
  })

  it('reports an integrated worktree', async () => {
    const { calls, url } = await receiver()
    const swarm = await openSwarm({
      files: { '.aiswarm/config.yaml': `integration: {approval: auto}\non: {worktree.integrated: {post: "${url}"}}\n` },
    })
    supervise(swarm.world)
    const branchOid = commit(await swarm.build('auth'), { a: 'x' })
    await perform(swarm.core, requestIntegration, { worktreeName: 'auth' }, person)
    const call = await until('the hook', () => calls[0])
    expect(call.body).toMatchObject({
      event: 'worktree.integrated',
      worktree: {
        name: 'auth',
        branchName: 'feature/auth',
        integrationTarget: 'main',
        mergeOid: expect.not.stringContaining(branchOid) as string,
      },
    })
  })

  it('loses no event while the receiver is down and no supervisor runs', async () => {
    const down = await receiver()
    await down.stop()
    const swarm = await openSwarm({ config: `on: {task.completed: {post: "${down.url}"}}\n` })
    const first = supervise(swarm.world)
    await swarm.task({ command: 'true' })
    await first.untilIdle()
    await until('the sentence', () => first.reported[0])
    await first.stop()
    expect(first.reported).toEqual([
      `The hook on task.completed, a POST to 127.0.0.1:${down.port} (task 1) failed and will be retried: it cannot be reached (ECONNREFUSED).`,
    ])
    // The test shortens the wait; the tests of the operations prove that it grows.
    connectionOf(swarm.core.store).prepare("UPDATE hook_deliveries SET next_try_at = '2026-01-01T00:00:00.000Z'").run()
    const { calls } = await receiver(undefined, down.port)
    supervise(await swarm.open())
    await until('the hook', () => calls[0])
    expect(calls).toMatchObject([{ body: { task: { id: 1 } } }])
  })

  it('follows the current file, and costs nothing without one', async () => {
    const { calls, url } = await receiver()
    const swarm = await openSwarm()
    const supervisor = supervise(swarm.world)
    const hooks = () => connectionOf(swarm.core.store).prepare('SELECT count(*) FROM hooks').pluck().get()
    await swarm.task({ command: 'true' })
    await supervisor.untilIdle()
    expect(hooks()).toBe(0)
    swarm.minutesPass()
    write(swarm.root, { '.aiswarm/config.yaml': `on: {task.completed: [{post: "${url}"}]}\n` })
    await until('the hook to be seen', () => hooks() === 1)
    const { id } = await swarm.task({ command: 'true' })
    await until('the hook', () => calls[0])
    expect(calls).toMatchObject([{ body: { task: { id } } }])
  })

  it('is removed when the file has been without it for a while, not while the file is being written', async () => {
    const on = (command: string) => `on: {task.completed: ${command}}\n`
    const swarm = await openSwarm({ config: on('echo one') })
    const config = (text: string) => write(swarm.root, { '.aiswarm/config.yaml': text })
    const hooks = () => connectionOf(swarm.core.store).prepare('SELECT count(*) FROM hooks').pluck().get()
    const jobs = hooksOf(swarm.world)
    await jobs(0, 0)
    config('')
    await jobs(0, 5000)
    config(on('echo two'))
    await jobs(0, 6000)
    expect(hooks()).toBe(2)
    await jobs(0, 16_000)
    expect(hooks()).toBe(1)
    config('on: {}\n')
    await jobs(0, 20_000)
    await jobs(0, 29_999)
    expect(hooks()).toBe(1)
    await jobs(0, 30_000)
    expect(hooks()).toBe(0)
  })
})

describe('a due delivery', () => {
  it('is returned at each look until it was sent, even if sending could not start at once', async () => {
    const swarm = await openSwarm({ config: 'on: {task.completed: echo one}\n' })
    const jobs = hooksOf(swarm.world)
    await jobs(0, 0)
    await swarm.carryOut('true')
    const event = connectionOf(swarm.core.store).prepare('SELECT max(id) FROM events').pluck().get() as number
    const keys = async (now: number) => (await jobs(event, now)).map(({ key }) => key)
    const first = await keys(1000)
    expect(first).toHaveLength(1)
    // No loop has sent it, and nothing else has happened.
    expect(await keys(1100)).toEqual(first)
  })
})

describe('a hook that', () => {
  const delivery = {
    id: 'd1',
    hook: 'k',
    taskId: 1,
    worktree: null,
    payload: JSON.stringify({ filler: 'x'.repeat(300_000) }),
    tries: 0,
  }
  const run = (command: string) =>
    deliver(temporaryFolder(), { key: 'k', event: 'task.completed', hook: { run: command } }, delivery)
  const post = (url: string, headers: Record<string, string> = {}) =>
    deliver(temporaryFolder(), { key: 'k', event: 'task.completed', hook: { post: url, headers } }, delivery)

  it.each([
    ['exit 3', 'exit code 3'],
    ['kill -9 $$', 'it was killed by a signal'],
    ['true', null],
    ['wc -c | grep -q 3000', null],
  ])('runs %j ends with %j', async (command, error) => {
    expect(await run(command)).toBe(error)
  })

  it('is answered with 500 has failed', async () => {
    const { url } = await receiver((_, response) => response.writeHead(500).end('no'))
    expect(await post(url)).toBe('the response was 500')
  })

  it.each([301, 302, 303, 307, 308])(
    'is redirected with %i has failed, and its headers are not sent elsewhere',
    async (status) => {
      const other = await receiver()
      const { url, calls } = await receiver((_, response) => response.writeHead(status, { location: other.url }).end())
      expect(await post(url, { Authorization: 'Bearer x' })).toBe(
        `the response was ${status}, and redirects are not followed`,
      )
      expect(calls).toHaveLength(1)
      expect(other.calls).toEqual([])
    },
  )

  it('takes too long has failed, and none of its processes remains', async () => {
    const folder = temporaryFolder()
    const hook = (of: Hook) =>
      deliver(folder, { key: 'k', event: 'task.completed', hook: of }, delivery, { command: 300, answer: 300 })
    expect(await hook({ run: 'sleep 600 & wait' })).toBe('it did not exit within 0.3 s')
    await until('the end of its child', () => processesMarked({ AISWARM_DELIVERY: 'd1' }).length === 0)
    const { url } = await receiver(() => {})
    expect(await hook({ post: url, headers: {} })).toBe('there was no response within 0.3 s')
    const slow = await receiver((_, response) => void response.writeHead(200).write('on and on'))
    // The answer is there with its headers; a busy machine may take its time for them.
    expect(
      await deliver(folder, { key: 'k', event: 'task.completed', hook: { post: slow.url, headers: {} } }, delivery, {
        command: 300,
        answer: 60_000,
      }),
    ).toBeNull()
  })

  it('needs a missing variable is not sent', async () => {
    const { url, calls } = await receiver()
    expect(await post(url, { Authorization: 'Bearer ${NO_SUCH_WORD}' })).toBe(
      'its header Authorization needs the variable NO_SUCH_WORD, which is not set',
    )
    expect(calls).toEqual([])
  })
})
