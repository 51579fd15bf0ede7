import { existsSync } from 'node:fs'
import type { Services } from '../cli/call/services.ts'
import type { Actor } from '../domain/agent/actor.ts'
import { growAsUsual } from '../effects/opening/runtime.ts'
import type { World } from '../effects/world.ts'
import { connect } from './repositories.ts'

/** The person pressed Ctrl-C at a question of the first start. */
class Left extends Error {}

/** Asks what `aiswarm init` asks, before the first console in a repository. An agent is not asked. */
export const startFirst = async (root: string, services: Services): Promise<void> => {
  const { configPath, databasePath, storePath } = await import('../effects/files/paths.ts')
  if ([databasePath, configPath, storePath].some((place) => existsSync(place(root))) || process.env['AISWARM_AGENT_ID'])
    return
  const { startHere } = await import('../cli/verbs/start.ts')
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

/** Loads the console's modules in advance. */
export const loadConsole = (): void =>
  void Promise.all([
    import('../db/sqlite/open.ts'),
    import('../effects/opening/open-core.ts'),
    import('../effects/opening/console-world.ts'),
    import('../ui/console.tsx'),
  ]).catch(() => {})

export const openConsole = async (world: World, from: string, services: Services, notice?: string): Promise<void> => {
  const { runWithConsole } = await import('../effects/opening/console-world.ts')
  const connection = await connect(world)
  await refuseConsoleOfAgent(connection.actor)
  const { runConsole } = await import('../ui/console.tsx')
  const commands = async () =>
    (await import('../cli/run/for-console.ts')).commandsForConsole(
      connection,
      services,
      process.env,
      from === process.cwd() ? undefined : world.core.root,
    )
  await runWithConsole(world, connection, (options) =>
    runConsole({
      ...options,
      commands,
      drawn: () => {
        growAsUsual()
        options.drawn?.()
      },
      ...(notice === undefined ? {} : { notice }),
    }),
  )
}

/** The person at the console approves; an agent that opens its own terminal is not a person. */
const refuseConsoleOfAgent = async (actor: Actor): Promise<void> => {
  if (actor.kind === 'person') return
  const [{ nameOf }, { Refusal }] = await Promise.all([
    import('../domain/agent/actor.ts'),
    import('../domain/rules/refusal.ts'),
  ])
  throw new Refusal(
    'not_allowed',
    `${actor.kind === 'agent' ? `Agent ${actor.id}` : nameOf(actor)} started this console, and only a person may use it.`,
  )
}
