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
import { perform } from '../../src/operations/perform/perform.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import type { Swarm } from '../effects/swarm.ts'
import { openBoardOf } from '../support/board-of-test.ts'

/** The built program, as the CLIs of agents start it. */
export const program = resolve(import.meta.dirname, '../../dist/main.js')

/** The client's own timeout is a minute, which is less than a story may take to answer. */
const patient = { timeout: 240_000 }

export interface Told {
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
