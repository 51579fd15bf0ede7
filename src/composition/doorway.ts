import type { Socket } from 'node:net'
import type { DoorwayServices } from '../cli/doorway/perform.ts'
import type { Elsewhere } from '../cli/run/run-cli.ts'
import type { Caller } from '../contracts/doorway.ts'
import type { Outside } from '../contracts/outside.ts'
import { isRefusal } from '../domain/rules/refusal.ts'
import type { Place } from '../effects/doorway/ask.ts'
import type { Doorway, World } from '../effects/world.ts'
import type { Connection } from '../operations/perform/core.ts'

// The doorway as the program has it: outside it performs what agents ask for, inside it asks.

/** Serves agents that reach this process. `beats`: this process alone renews the leases of an agent whose server is here. */
export const doorwayOf = (open: () => Promise<World>, signal: AbortSignal, beats: boolean): Doorway => ({
  tools: async (caller, stream) => {
    const [{ serveStreams }, { refuseStdio }] = await Promise.all([
      import('../mcp/transport/serve.ts'),
      import('../mcp/transport/stdio.ts'),
    ])
    const streams = { input: stream, output: stream, signal }
    try {
      const world = await open()
      const connection = await connectionOf(world, caller)
      await serveStreams(connection, { ...streams, version: world.version, report: world.report, beats })
    } catch (error) {
      if (!isRefusal(error)) return warn(String(error))
      await refuseStdio(error.message, streams)
    }
  },
  perform: async (caller, call, output) => {
    try {
      const [{ performForAgent }, world] = await Promise.all([import('../cli/doorway/perform.ts'), open()])
      const connection = await connectionOf(world, caller)
      const services = servicesOf(world, output.signal)
      return await performForAgent(call, { connection, caller, services, report: world.report }, output)
    } catch (error) {
      if (isRefusal(error)) return { refusal: { code: error.code, message: error.message } }
      warn(String(error))
      return { bug: String(error) }
    }
  },
})

const warn = (sentence: string): void => void process.stderr.write(`aiswarm: ${sentence}\n`)

/** An agent proves by its token who it is. Only the caller's name counts, and never who has started this process. */
const connectionOf = async (world: World, { agentId, token }: Caller): Promise<Connection> => {
  const [{ identityOf }, { outsideOf }] = await Promise.all([
    import('../effects/opening/identity.ts'),
    import('../effects/opening/outside.ts'),
  ])
  const outside = outsides.get(world) ?? outsideOf(world)
  outsides.set(world, outside)
  const actor = await identityOf(world, { AISWARM_AGENT_ID: agentId, AISWARM_AGENT_TOKEN: token })
  return { core: world.core, actor, outside }
}

/** The outside of each world: its observations serve the next caller too. */
const outsides = new WeakMap<World, Outside>()

const servicesOf = (world: World, signal: AbortSignal): DoorwayServices => ({
  version: world.version,
  diagnose: async () => {
    const { diagnoseFolder } = await import('../effects/opening/doctor.ts')
    // Its board is there.
    return diagnoseFolder(
      world.core.root,
      () => Promise.resolve(world),
      () => Promise.resolve(undefined),
    )
  },
  fileLock: async () => (await import('../db/sqlite/file-lock.ts')).withFileLock,
  // The board of this process keeps notes itself.
  keepNote: () => Promise.resolve(false),
  nextChange: async ({ core }, ms) => {
    const { nextChange } = await import('../effects/loops/changes.ts')
    await nextChange(core.store, core.store.version(), ms, signal)
  },
  repositoryRoot: () => Promise.resolve(world.core.root),
  settingsOf: ({ core }) => core.settings,
})

/** How long the process of a run that serves its doorway stays without a connection (ms): it has 90 MB. */
const IDLE = 60_000

/** The most connections at once: an agent has one for its MCP server, and one for each command. */
const MOST = 64

/**
 * Serves the doorway of a run: its parent hands each connection to this process, which ends when it has had nothing to do
 * for a while. Its words and variables are those of the run's host, and nothing of a caller.
 */
export const serveDoorway = (open: () => Promise<World>, signal: AbortSignal): Promise<number> => {
  const sockets = new Set<Socket>()
  const own = ownCaller()
  let world: Promise<World> | undefined
  const opened = (): Promise<World> => {
    world ??= open()
    // The board may be away now, and there for the next call.
    world.catch(() => (world = undefined))
    return world
  }
  const doorway = doorwayOf(opened, signal, true)
  // Signals go to the whole session: the program inside decides how it ends, and this process ends after it.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {})
  return new Promise((resolve) => {
    const wait = () => setTimeout(() => process.send?.('idle'), IDLE)
    let idle = wait()
    const left = (): void => {
      clearTimeout(idle)
      if (sockets.size > 0) return
      if (!process.connected) return resolve(0)
      idle = wait()
    }
    process.on('disconnect', left)
    process.on('message', (_, socket: Socket | undefined) => {
      if (socket === undefined) return
      clearTimeout(idle)
      void serveHere(socket, { doorway, own, isFull: sockets.size >= MOST })
      sockets.add(socket)
      socket.once('close', () => {
        sockets.delete(socket)
        left()
      })
    })
  })
}

/** The agent of the run: a program that hides its variables, as some CLIs do with tokens, is known by its connection. */
const ownCaller = (): Caller => ({
  agentId: process.env['AISWARM_AGENT_ID'] ?? '',
  token: process.env['AISWARM_AGENT_TOKEN'] ?? '',
})

interface Here {
  readonly doorway: Doorway
  readonly own: Caller
  readonly isFull: boolean
}

const serveHere = async (socket: Socket, { doorway, own, isFull }: Here): Promise<void> => {
  const { refuseMore, serveConnection } = await import('../effects/doorway/serve.ts')
  if (isFull) return refuseMore(socket)
  const callerOf = (named: Caller | undefined): Caller =>
    named === undefined || (named.agentId === own.agentId && named.token === '') ? own : named
  const { relayed } = await import('../effects/doorway/relay.ts')
  if (await relayed(socket, callerOf)) return
  await serveConnection(socket, doorway, callerOf)
}

/** The command line of an agent: what the list has is asked for, and the rest refused, or done here by one that may. */
export const elsewhereOf =
  (place: Place, isConfined: boolean): Elsewhere =>
  async (command, words, call) => {
    const { answerOf, callOf, notForAgents } = await import('../cli/doorway/asked.ts')
    const asked = callOf(command, words, call)
    const isOwn = call.root === process.env['AISWARM_ROOT'] || call.root === process.cwd()
    if (asked === undefined || !isOwn) {
      if (!isConfined) return undefined
      throw notForAgents(command, isOwn)
    }
    const { ask } = await import('../effects/doorway/ask.ts')
    const { out, err, signal } = call.streams
    const end = await ask(asked, place, { out, err, ...(signal === undefined ? {} : { signal }) })
    return end && answerOf(end)
  }
