import { existsSync } from 'node:fs'
import type { Services } from '../cli/call/services.ts'
import type { World } from '../effects/world.ts'

/** The person pressed Ctrl-C at a question of the first start. */
class Left extends Error {}

/** Asks what `aiswarm init` asks, before the first console in a repository. An agent is not asked. */
export const startFirst = async (root: string, services: Services): Promise<void> => {
  const { configPath, databasePath, storePath } = await import('../effects/files/places.ts')
  if ([databasePath, configPath, storePath].some((place) => existsSync(place(root))) || process.env['AISWARM_AGENT_ID'])
    return
  const { startHere } = await import('../cli/verbs/start/start-here.ts')
  const { asked } = await startHere(await services.proposeStart(root), services)
  if (asked === 'left') throw new Left()
}

/** Undefined if the person left at a question. */
export const unlessLeft = async (world: Promise<World>): Promise<World | undefined> => {
  try {
    return await world
  } catch (error) {
    if (error instanceof Left) return undefined
    throw error
  }
}
