import { request as httpRequest } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSwarm, until } from '../../effects/swarm.ts'
import { start } from '../../stories/program.ts'

/** `aiswarm mcp --http 0` on a repository: its address and its token. */
const serve = async (...args: readonly string[]) => {
  const swarm = await openSwarm()
  const running = start(swarm.root, ['mcp', '--http', '0', '--json', ...args])
  const { url, token } = await until('the address', () =>
    running.said().includes('\n')
      ? (JSON.parse(running.said().split('\n')[0]!) as { url: string; token: string })
      : undefined,
  )
  return { swarm, running, url, token }
}

const connect = async (url: string, token: string) => {
  const client = new Client({ name: 'ide', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  )
  return client
}

/** The status of one raw request. */
const status = (url: string, headers: Record<string, string>, body: string | null, path = '/mcp'): Promise<number> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(url)
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        method: body === null ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      },
      (response) => {
        response.resume()
        resolve(response.statusCode!)
      },
    )
    request.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve(413) : reject(error),
    )
    request.end(body ?? undefined)
  })

/** The answer to a client that is refused. */
const refused = async (url: string, headers: Record<string, string>): Promise<{ text: string; headers: string }> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: hello,
  })
  return { text: await response.text(), headers: response.headers.get('www-authenticate') ?? '' }
}

const hello = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})

describe('the HTTP server', () => {
  it('lets several IDEs read the board and create tasks', async () => {
    const { swarm, url, token } = await serve()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
    const [one, two] = await Promise.all([connect(url, token), connect(url, token)])
    await one.callTool({ name: 'create_task', arguments: { title: 'From the IDE', personaId: 'implementer' } })
    const tree = await two.callTool({ name: 'get_task_tree', arguments: {} })
    expect(tree.structuredContent).toMatchObject({ tasks: [{ title: 'From the IDE' }] })
    expect((await one.callTool({ name: 'create_worktree', arguments: { name: 'w', branchName: 'b' } })).isError).toBe(
      true,
    )
    expect((await swarm.show(1)).title).toBe('From the IDE')
  })

  it('refuses a client without the token, from another site, or under another host name', async () => {
    const { url, token } = await serve()
    const known = { authorization: `Bearer ${token}` }
    expect(await status(url, {}, hello)).toBe(401)
    expect(await status(url, { authorization: 'Bearer guessed' }, hello)).toBe(401)
    const { headers, text } = await refused(url, { authorization: 'Bearer guessed' })
    expect(text).toContain("The bearer token is wrong. 'aiswarm mcp --http' prints it when it starts")
    expect(headers).toContain('error="invalid_token"')
    expect((await refused(url, {})).text).toContain('The bearer token is missing')
    expect(await status(url, { ...known, host: 'evil.example' }, hello)).toBe(403)
    expect(await status(url, { ...known, origin: 'https://evil.example' }, hello)).toBe(403)
    expect(await status(url, { ...known, origin: 'null' }, hello)).toBe(403)
    expect(await status(url, known, hello, '/')).toBe(404)
    expect(await status(url, { ...known, 'mcp-session-id': 'none' }, hello)).toBe(404)
    expect(await status(url, known, 'garbage')).toBe(400)
    expect(await status(url, known, `[${'['.repeat(100)}`)).toBe(400)
    expect(await status(url, known, JSON.stringify({ text: 'x'.repeat(2 * 1024 * 1024) }))).toBe(413)
    expect(await status(url, { ...known, origin: 'http://localhost:5173' }, hello)).toBe(200)
  })

  it('ends on a signal while clients are connected', async () => {
    const { running, url, token } = await serve()
    await connect(url, token)
    running.child.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 0, err: '' })
  })
})
