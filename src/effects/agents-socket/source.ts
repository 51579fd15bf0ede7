import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runFolder } from '../files/paths.ts'
import type { World } from '../world.ts'
import { SOCKET } from './entry.ts'
import { serveAgents } from './serve.ts'

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
