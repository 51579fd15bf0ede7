import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { mkdirSync } from 'node:fs'
import { scratch } from './bench-core.ts'
import { program } from './repository.ts'

/** The minimal server on the same SDK. */
export const emptyServer = [fileURLToPath(new URL('./workers/empty-mcp.ts', import.meta.url))]

export const ourServer = (root: string): readonly string[] => [program, 'mcp', '--root', root]

/** The SDK's client on a server that this Node.js runs. */
export const connect = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Client> => {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...args],
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...environment },
    }),
  )
  return client
}

/** A repository with its own board. */
export const makeSwarm = (): string => {
  const root = join(scratch(), 'swarm')
  mkdirSync(root)
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], {
      cwd: root,
      stdio: 'ignore',
    })
  git('init', '--initial-branch=main')
  git('commit', '--allow-empty', '--message', 'Begin')
  execFileSync(process.execPath, [program, 'init', '--root', root], { stdio: 'ignore' })
  return root
}

const ask = <T>(root: string, ...args: string[]): T =>
  JSON.parse(execFileSync(process.execPath, [program, ...args, '--root', root, '--json'], { encoding: 'utf8' })) as T

export const addTasks = (root: string, tasks: number): void => {
  const drafts = Array.from({ length: tasks }, (_, n) => ({ title: `Task ${n}`, personaId: 'implementer' }))
  execFileSync(process.execPath, [program, 'task', 'import', '-', '--root', root], {
    input: JSON.stringify(drafts),
    stdio: ['pipe', 'ignore', 'inherit'],
  })
}

/** Registers an agent and returns the environment of its server. */
export const register = (root: string, id: string): Record<string, string> => {
  const { token } = ask<{ token: string }>(root, 'agent', 'register', id, '--persona', 'implementer')
  return { AISWARM_AGENT_ID: id, AISWARM_AGENT_TOKEN: token, AISWARM_ROOT: root }
}

export const countOf = (root: string, status: string): number =>
  ask<unknown[]>(root, 'task', 'list', '--status', status).length
