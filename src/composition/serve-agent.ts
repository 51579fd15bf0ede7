import type { Duplex } from 'node:stream'
import { isRefusal } from '../domain/rules/refusal.ts'
import { identityOf } from '../effects/opening/identity.ts'
import type { World } from '../effects/world.ts'
import { serveStreams } from '../mcp/transport/serve.ts'
import { refuseStdio } from '../mcp/transport/stdio.ts'
import { memoryUser } from '../memory/dual-memory/user.ts'

/** Serves MCP to an agent of this host, which proves by its token who it is. */
export const serveAgent = async (
  world: World,
  environment: Readonly<Record<string, string>>,
  stream: Duplex,
  signal: AbortSignal,
): Promise<void> => {
  const streams = { input: stream, output: stream, signal }
  try {
    const { outsideOf } = await import('../effects/opening/outside.ts')
    const core = { ...world.core, memoryUser: memoryUser(environment) }
    const actor = await identityOf(world, environment)
    await serveStreams(
      { core, actor, outside: outsideOf(world) },
      // Its process is watched by the loops of this host, which renew its leases.
      { ...streams, version: world.version, report: world.report, beats: false },
    )
  } catch (error) {
    if (!isRefusal(error)) throw error
    await refuseStdio(error.message, streams)
  }
}
