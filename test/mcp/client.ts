import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import { client as caller, person } from '../../src/domain/agent/actor.ts'
import { identityOf } from '../../src/effects/opening/identity.ts'
import { openWorld } from '../../src/effects/opening/open-core.ts'
import { outsideOf } from '../../src/effects/opening/outside.ts'
import { createServer } from '../../src/mcp/server/server.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { type Swarm, until } from '../effects/swarm.ts'
import { openBoardOf } from '../support/board-of-test.ts'

// Clients of `aiswarm mcp`: the SDK's own, and one that writes and reads the bytes itself.

/** The built program, as the CLIs of agents start it. */
const program = resolve(import.meta.dirname, '../../dist/main.js')

/** The client's own timeout is a minute, which is less than a story may take to answer. */
const patient = { timeout: 240_000 }

interface Told {
  readonly isError: boolean
  /** The structured content, or the code and message of a refusal. */
  readonly [key: string]: unknown
}

export type McpClient = Awaited<ReturnType<typeof connect>>

interface Connected {
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly apart?: boolean
  /** The built program, whatever it needs. */
  readonly built?: boolean
}

/**
 * The SDK's own client on the server of `aiswarm mcp`; the SDK validates every answer against the tool's output schema.
 * The server runs in this process, unless it needs arguments, another folder or more of the environment than an identity:
 * then it is the built program over real stdio. With `apart` that runs below a process of its own, like that of an
 * agent. Otherwise this process is the agent, and may not do what only a person may.
 */
export const connect = async (root: string, given: Connected = {}) => {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: {} })
  onTestFinished(() => client.close())
  const { environment = {}, ...rest } = given
  const inProcess = Object.keys(rest).length === 0 && Object.keys(environment).every((name) => identity.includes(name))
  await client.connect(inProcess ? await serverHere(root, environment) : serverProcess(root, given), patient)
  // From here on the client knows the output schemas.
  await client.listTools(undefined, patient)
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<Told> =>
    told((await client.callTool({ name, arguments: input }, undefined, patient)) as CallToolResult)
  return { client, call }
}

const identity = ['AISWARM_AGENT_ID', 'AISWARM_AGENT_TOKEN', 'AISWARM_ROOT']

const serverHere = async (root: string, environment: Readonly<Record<string, string>>): Promise<Transport> => {
  const world = await openWorld(root, {
    openStore: (path) => openBoardOf(root, path),
    self: [process.execPath, program],
    warn: () => {},
  })
  const actor = await identityOf(world, environment)
  const ended = new AbortController()
  const { server } = createServer({
    connection: {
      core: world.core,
      actor: actor.kind === 'person' ? caller('person') : actor,
      outside: outsideOf(world),
    },
    version: '1',
    report: () => {},
    signal: ended.signal,
  })
  onTestFinished(async () => {
    ended.abort()
    await server.close()
    world.core.store.close()
  })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await server.connect(theirs)
  return ours
}

const serverProcess = (
  root: string,
  { args = [], environment = {}, cwd = root, apart = false }: Connected,
): Transport => {
  const server = [process.execPath, program, 'mcp', '--root', root, ...args]
  const given = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  return new StdioClientTransport({
    command: apart ? '/bin/sh' : server[0]!,
    args: apart ? ['-c', 'eval "$SERVER"; exit $?'] : server.slice(1),
    cwd,
    stderr: 'pipe',
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      ...(apart ? { SERVER: ['env', ...given, ...server].map(quoted).join(' ') } : environment),
    },
  })
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** Connects as an agent that registers itself; returns the client and the agent's environment. */
export const connectAs = async (
  swarm: Swarm,
  id: string,
  {
    personaId = 'implementer',
    worktree,
    ...given
  }: { personaId?: string; worktree?: string } & Pick<Connected, 'built'> = {},
) => {
  const { token } = await perform(
    swarm.core,
    registerAgent,
    { id, personaId, ...(worktree === undefined ? {} : { worktree }) },
    person,
  )
  const environment = { AISWARM_AGENT_ID: id, AISWARM_AGENT_TOKEN: token, AISWARM_ROOT: swarm.root }
  return { ...(await connect(swarm.root, { environment, ...given })), environment }
}

const told = (result: CallToolResult): Told => {
  const text = (result.content[0] as { text: string }).text
  const value = JSON.parse(text) as { error?: { code: string; message: string } }
  return result.isError === true
    ? { isError: true, ...value.error }
    : { isError: false, ...((result.structuredContent as object | undefined) ?? value) }
}

export interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
}

/** `aiswarm mcp` as a process whose bytes the test writes and reads itself; `below` starts it in a process group of its own. */
export const startRaw = (
  root: string,
  environment: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  below: readonly string[] = [],
) => {
  const words = [...below, process.execPath, program, 'mcp', '--root', root, ...args]
  const cache = process.env['NODE_COMPILE_CACHE']
  const child: ChildProcess = spawn(words[0]!, words.slice(1), {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }),
      ...environment,
    },
    detached: below.length > 0,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  let err = ''
  child.stdout!.setEncoding('utf8').on('data', (piece: string) => (out += piece))
  child.stderr!.setEncoding('utf8').on('data', (piece: string) => (err += piece))
  // A server that refuses and ends closes its end while the test still writes.
  child.stdin!.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const messages = (): readonly Message[] =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Message)
  let ids = 0
  const write = (text: string | Buffer): void => void child.stdin!.write(text)
  const send = (message: object): void => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const answerTo = (id: string | number | null): Promise<Message> =>
    until(`the answer to ${id}`, () => messages().find((message) => message.id === id && message.method === undefined))
  const ask = (method: string, params: object = {}): Promise<Message> => {
    const id = ++ids
    send({ id, method, params })
    return answerTo(id)
  }
  const initialise = async (): Promise<Message> => {
    const answer = await ask('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    })
    send({ method: 'notifications/initialized' })
    return answer
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }))
  return { child, write, send, ask, answerTo, initialise, messages, ended, out: () => out, err: () => err }
}
