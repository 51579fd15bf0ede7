import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { runFolder } from '../files/paths.ts'
import type { Doorway, World } from '../world.ts'
import { connectIn } from './connect.ts'
import { WORKER_SOCKET as SOCKET } from './entry.ts'
import { refuseMore, serveConnection } from './serve.ts'

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
      if (!goesThroughWorker(world.core) || world.doorway === undefined) return []
      if (served !== undefined && existsSync(path)) return []
      served?.close()
      served = serveAgents(world, world.doorway)
      return []
    },
    close: () => served?.close(),
  }
}

/** The most connections at once: an agent has one for its MCP server, and one for each command. */
const MOST = 500

/** Serves the agents of this host until it is closed. */
export const serveAgents = (
  world: Pick<World, 'core' | 'report'>,
  doorway: Doorway,
): { readonly close: () => void } => {
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (open.size >= MOST) return refuseMore(socket)
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    // A caller without a name would count as what has started this process: as a person.
    void serveConnection(socket, doorway, (named) => named)
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
