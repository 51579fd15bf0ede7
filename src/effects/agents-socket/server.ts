import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { runFolder } from '../files/paths.ts'
import { connectIn } from '../sandbox/doorway.ts'
import { ERR, EXIT, frame, type Request } from '../sandbox/entry.ts'
import { requestOf, runFor } from '../sandbox/host.ts'
import type { World } from '../world.ts'
import { ALONE, isCarriedOut, isServer, SOCKET, WORKER } from './entry.ts'

/** Whether what agents of this host ask for is carried out by the process that runs them. */
export const goesThroughWorker = ({ host, settings }: Pick<World['core'], 'host' | 'settings'>): boolean =>
  typeof host === 'string' || (host === undefined && settings.agents.connect === 'socket')

/**
 * Opens the socket for the agents of this host in the first turn of its loops, and again if it was removed. It serves until
 * this process ends, also when another one has taken over the loops: both have the same board.
 */
export const agentsSocketOf = (world: World): { readonly open: () => readonly []; readonly close: () => void } => {
  let served: ReturnType<typeof serveAgents> | undefined
  const path = join(runFolder(world.core.root), SOCKET)
  return {
    open: () => {
      if (!goesThroughWorker(world.core) || world.serveAgent === undefined) return []
      if (served !== undefined && existsSync(path)) return []
      served?.close()
      served = serveAgents(world)
      return []
    },
    close: () => served?.close(),
  }
}

/** Serves the agents of this host until it is closed. */
export const serveAgents = (world: World): { readonly close: () => void } => {
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    void answer(world, socket)
  })
  server.on('error', (error) => world.report(`Agents cannot reach this process: ${error.message}.`))
  listen(server, runFolder(world.core.root))
  return {
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

/**
 * A path of a socket has at most 107 bytes, so this process goes to the folder for a moment. A renamed socket replaces that
 * of a process that has ended, and the end of this process removes none of a later one.
 */
const listen = (server: Server, folder: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${SOCKET}.${process.pid}`
  rmSync(join(folder, draft), { force: true })
  inFolder(folder, () => {
    server.listen(draft)
    chmodSync(draft, 0o600)
    renameSync(draft, SOCKET)
  })
  server.unref()
}

const inFolder = (folder: string, act: () => void): void => {
  const cwd = process.cwd()
  process.chdir(folder)
  try {
    act()
  } finally {
    process.chdir(cwd)
  }
}

/** Why a process here could not serve agents, as on a disk without sockets; undefined if it could. */
export const whyNoSocket = async (root: string): Promise<string | undefined> => {
  const folder = runFolder(root)
  const name = `probe.${process.pid}`
  const server = createServer((socket) => void socket.end('there'))
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const listening = once(server, 'listening')
    inFolder(folder, () => server.listen(name))
    await listening
    await once(connectIn(folder, name), 'data')
    rmSync(join(folder, name), { force: true })
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    server.close()
  }
}

const ONLY_AGENTS = 'this socket serves only agents, which name themselves by AISWARM_AGENT_ID and AISWARM_AGENT_TOKEN'

const answer = async (world: World, socket: Socket): Promise<void> => {
  socket.on('error', () => socket.destroy())
  const asked = await requestOf(socket)
  if (asked === undefined) return void socket.destroy()
  const { request, rest } = asked
  const { root } = world.core
  // A caller without a token would count as what has started this process: as a person.
  if (!request.environment['AISWARM_AGENT_ID']) return refuse(socket, ONLY_AGENTS)
  if (!isCarriedOut(request.args, root)) return refuse(socket, 'this command is not for an agent')
  if (!isServer(request.args, root) || world.serveAgent === undefined)
    return runFor(
      socket,
      { self: world.self, root, folder: root },
      { ...request, environment: named(request) },
      { rest, withheld: [WORKER, ALONE] },
    )
  if (rest.length > 0) socket.unshift(rest)
  await world.serveAgent(named(request), socket).catch((error: unknown) => world.report(String(error)))
  socket.end()
}

/** An empty token, so that none of this process's own counts. */
const named = ({ environment }: Request): Request['environment'] => ({ AISWARM_AGENT_TOKEN: '', ...environment })

const refuse = (socket: Socket, why: string): void => {
  socket.write(frame(ERR, Buffer.from(`✗ ${why}\n`)))
  socket.end(frame(EXIT, Buffer.from([1])))
}
