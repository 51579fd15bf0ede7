import { resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import { person } from '../../src/domain/agent/actor.ts'
import { perform } from '../../src/operations/door/perform.ts'
import { registerAgent } from '../../src/operations/agents/register-agent.ts'
import type { Swarm } from '../effects/swarm.ts'

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

/**
 * The SDK's own client on `aiswarm mcp` over real stdio; the SDK validates every answer against the tool's output
 * schema. With `apart` the server runs below a process of its own, like that of an agent. Otherwise this process is
 * the agent, and may not do what only a person may.
 */
export const connect = async (
  root: string,
  { args = [], environment = {}, cwd = root, apart = false }: { args?: readonly string[]; environment?: Readonly<Record<string, string>>; cwd?: string; apart?: boolean } = {},
) => {
  const server = [process.execPath, program, 'mcp', '--root', root, ...args]
  const given = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  const transport = new StdioClientTransport({
    command: apart ? '/bin/sh' : server[0]!,
    args: apart ? ['-c', 'eval "$SERVER"; exit $?'] : server.slice(1),
    cwd,
    stderr: 'pipe',
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...(apart ? { SERVER: ['env', ...given, ...server].map(quoted).join(' ') } : environment) },
  })
  let errors = ''
  transport.stderr?.on('data', (piece: Buffer) => (errors += piece.toString()))
  const client = new Client({ name: 'test', version: '1' }, { capabilities: {} })
  onTestFinished(() => client.close())
  await client.connect(transport, patient)
  // From here on the client knows the output schemas.
  await client.listTools(undefined, patient)
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<Told> =>
    told((await client.callTool({ name, arguments: input }, undefined, patient)) as CallToolResult)
  return { client, transport, call, errors: () => errors, pid: transport.pid! }
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** Connects as an agent that registers itself; returns the client and the agent's environment. */
export const connectAs = async (swarm: Swarm, id: string, { personaId = 'implementer', worktree }: { personaId?: string; worktree?: string } = {}) => {
  const { token } = await perform(swarm.core, registerAgent, { id, personaId, ...(worktree === undefined ? {} : { worktree }) }, person)
  const environment = { AISWARM_AGENT_ID: id, AISWARM_AGENT_TOKEN: token, AISWARM_ROOT: swarm.root }
  return { ...(await connect(swarm.root, { environment })), environment }
}

const told = (result: CallToolResult): Told => {
  const text = (result.content[0] as { text: string }).text
  const value = JSON.parse(text) as { error?: { code: string; message: string } }
  return result.isError === true ? { isError: true, ...value.error } : { isError: false, ...((result.structuredContent as object | undefined) ?? value) }
}
