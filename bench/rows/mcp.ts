import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { makeSwarm, program } from '../repository.ts'
import { median, ms, type Row } from '../row.ts'

const ROUNDS = 5
/** A connection accepts a hundred calls at once before its rate limit applies. */
const CALLS = 80

/** The duration of each call until its answer was read. */
const times = async (
  client: Client,
  calls: number,
  input: (n: number) => Record<string, unknown>,
): Promise<readonly number[]> => {
  const taken: number[] = []
  for (let n = 0; n < calls; n++) {
    const begun = performance.now()
    const { isError, content } = await client.callTool({ name: 'claim_task', arguments: input(n) })
    taken.push(performance.now() - begun)
    if (isError === true) throw new Error(JSON.stringify(content))
  }
  return taken
}

/**
 * A claim over MCP compared with a tool on the same SDK that commits the same statements by hand, on the same board,
 * alternating; and, without a target, with tools that commit one row as durably and that do nothing.
 */
export const mcpRoundTrip = async (): Promise<Row> => {
  const root = makeSwarm()
  addTasks(root, 2 * ROUNDS * CALLS)
  const board = join(root, '.aiswarm', 'coordination.db')
  const [ours, byHand, row, empty]: [number[], number[], number[], number[]] = [[], [], [], []]
  for (let round = 0; round < ROUNDS; round++) {
    const agent = register(root, `agent-${round}`)
    const references = [
      { taken: row, server: [...emptyServer, join(root, 'rows.db')] },
      { taken: empty, server: emptyServer },
      { taken: byHand, server: [...emptyServer, board, agent['AISWARM_AGENT_ID']!] },
      { taken: ours, server: ourServer(root), environment: agent },
    ]
    for (const { taken, server, environment } of references) {
      const client = await connect(server, environment)
      const first = (2 * round + (taken === ours ? 1 : 0)) * CALLS + 1
      taken.push(...(await times(client, CALLS, (n) => ({ taskId: first + n }))))
      await client.close()
    }
  }
  const [ratio, ratioToRow] = [median(ours) / median(byHand), median(ours) / median(row)]
  return {
    what: 'MCP claim_task round trip / a tool on the same SDK that commits the same statements by hand',
    measured: `${ratio.toFixed(2)}× (${ms(median(ours))} / ${ms(median(byHand))}); ${ratioToRow.toFixed(2)}× a tool that commits one row (${ms(median(row))}), ${(median(ours) / median(empty)).toFixed(2)}× one that does nothing (${ms(median(empty))})`,
    target: '≤ 1.5×',
    kept: ratio <= 1.5,
  }
}

/** The time from the start of the process until the tools are listed. */
export const mcpStart = async (): Promise<Row> => {
  const root = makeSwarm()
  const [ours, empty]: [number[], number[]] = [[], []]
  const start = async (args: readonly string[]): Promise<number> => {
    const begun = performance.now()
    const client = await connect(args)
    await client.listTools()
    const taken = performance.now() - begun
    await client.close()
    return taken
  }
  for (let round = 0; round <= 9; round++) {
    const [nothing, aiswarm] = [await start(emptyServer), await start(ourServer(root))]
    // The first round fills the compile caches.
    if (round === 0) continue
    empty.push(nothing)
    ours.push(aiswarm)
  }
  const ratio = median(ours) / median(empty)
  return {
    what: 'MCP server: from its start to the list of its tools / an empty server on the same SDK',
    measured: `${ratio.toFixed(2)}× (${ms(median(ours))} / ${ms(median(empty))})`,
    target: '≤ 1.5×',
    kept: ratio <= 1.5,
  }
}

const SERVERS = 50
const EACH = 10

/** Fifty servers on one database, each claiming and completing ten tasks. */
export const mcpCrowd = async (): Promise<Row> => {
  const root = makeSwarm()
  addTasks(root, SERVERS * EACH)
  const environments = Array.from({ length: SERVERS }, (_, n) => register(root, `agent-${n}`))
  const clients = await Promise.all(environments.map((environment) => connect(ourServer(root), environment)))
  const begun = performance.now()
  let lost = 0
  await Promise.all(
    clients.map(async (client, server) => {
      for (let n = 0; n < EACH; n++) {
        const taskId = server * EACH + n + 1
        for (const name of ['claim_task', 'complete_task'])
          if ((await client.callTool({ name, arguments: { taskId } })).isError === true) lost += 1
      }
    }),
  )
  const seconds = (performance.now() - begun) / 1000
  await Promise.all(clients.map((client) => client.close()))
  const completed = countOf(root, 'completed')
  return {
    what: `${SERVERS} MCP servers on one database, ${SERVERS * EACH * 2} calls`,
    measured: `${completed} of ${SERVERS * EACH} tasks completed, ${lost} calls lost, ${seconds.toFixed(1)} s`,
    target: 'none lost',
    kept: lost === 0 && completed === SERVERS * EACH,
  }
}

/** The minimal server on the same SDK. */
const emptyServer = [fileURLToPath(new URL('../workers/empty-mcp.ts', import.meta.url))]

const ourServer = (root: string): readonly string[] => [program, 'mcp', '--root', root]

/** The SDK's client on a server that this Node.js runs. */
const connect = async (
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

const ask = <T>(root: string, ...args: string[]): T =>
  JSON.parse(execFileSync(process.execPath, [program, ...args, '--root', root, '--json'], { encoding: 'utf8' })) as T

const addTasks = (root: string, tasks: number): void => {
  const drafts = Array.from({ length: tasks }, (_, n) => ({ title: `Task ${n}`, personaId: 'implementer' }))
  execFileSync(process.execPath, [program, 'task', 'import', '-', '--root', root], {
    input: JSON.stringify(drafts),
    stdio: ['pipe', 'ignore', 'inherit'],
  })
}

/** Registers an agent and returns the environment of its server. */
const register = (root: string, id: string): Record<string, string> => {
  const { token } = ask<{ token: string }>(root, 'agent', 'register', id, '--persona', 'implementer')
  return { AISWARM_AGENT_ID: id, AISWARM_AGENT_TOKEN: token, AISWARM_ROOT: root }
}

const countOf = (root: string, status: string): number =>
  ask<unknown[]>(root, 'task', 'list', '--status', status).length
