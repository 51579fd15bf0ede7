import type { Services } from '../cli/call/services.ts'
import type { Connection } from '../operations/perform/core.ts'
import type { World } from '../effects/world.ts'
import { interrupt, stdout, streams } from './streams.ts'
import { connect } from './repositories.ts'

type Options = Parameters<Services['serveMcp']>[1]

export const serveMcp = async (
  open: () => Promise<World>,
  version: string,
  { planner, http, listening }: Options,
): Promise<void> => {
  const { world, own } = await openForClient(open, http === null && !streams.stdinIsTerminal)
  const { client } = await import('../domain/agent/actor.ts')
  const report = (sentence: string): void => void process.stderr.write(`aiswarm mcp: ${sentence}\n`)
  // A caller without an identity represents a person, but is not the person.
  const connection = own.actor.kind === 'person' ? { ...own, actor: client(planner ? 'planner' : 'person') } : own
  if (planner && connection.actor.kind === 'client' && connection.actor.role !== 'planner')
    report('an agent started this server, so it does not serve as a planner')
  const common = { version, report, signal: interrupt.signal }
  // A person started it to have plans carried out; a server bound to an agent never supervises.
  const supervisor =
    connection.actor.kind === 'client' && connection.actor.role === 'planner'
      ? (await import('../effects/loops/supervisor.ts')).startSupervisor({ ...world, report }, { maxParallel: null })
      : undefined
  try {
    if (http === null)
      return await (
        await import('../mcp/transport/serve.ts')
      ).serveStreams(connection, {
        ...common,
        input: process.stdin,
        output: stdout,
      })
    const { serveHttp } = await import('../mcp/transport/http.ts')
    const token = process.env['AISWARM_MCP_TOKEN'] ?? world.core.newToken()
    return await serveHttp({ ...common, connection, port: http, token, listening: (url) => listening({ url, token }) })
  } finally {
    await supervisor?.stop()
  }
}

/** The same refusals as for every command; a client on standard input and output receives them in its own protocol. */
const openForClient = async (
  open: () => Promise<World>,
  onStdio: boolean,
): Promise<{ world: World; own: Connection }> => {
  try {
    const world = await open()
    return { world, own: await connect(world) }
  } catch (error) {
    const { isRefusal } = await import('../domain/rules/refusal.ts')
    if (onStdio && isRefusal(error))
      await (
        await import('../mcp/transport/stdio.ts')
      ).refuseStdio(error.message, { output: stdout, signal: interrupt.signal })
    throw error
  }
}
