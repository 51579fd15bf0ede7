import type { Connection } from '../operations/door/connection.ts'
import type { Store } from '../db/engine/store.ts'
import type { World } from '../effects/world.ts'
import { boardOpeners } from './boards.ts'
import { boardServices, fleetServices, type Opening } from './repository-services.ts'
import { warn } from './store-address.ts'

const opened = new Map<Connection, World>()
/** Databases that were opened without a world. */
const stores: Store[] = []

/** Opens repositories for this program: `migrations` is the folder of its migrations, `self` the words that start it, and `interrupted` ends what it serves. */
export const makeOpeners = (migrations: string, self: readonly string[], version: string, interrupted: AbortSignal) => {
  const { openFile, openServer, openBoard } = boardOpeners(migrations, version)

  /**
   * The repository that contains `root`, and its open database. `meanwhile` runs while git searches, `first` before
   * anything is created in the repository. `joins`: the board is there already.
   */
  const openWorld = async (
    root: string,
    meanwhile: () => void = () => {},
    first?: (root: string) => Promise<void>,
    joins = false,
  ): Promise<World> => {
    const { findRepository } = await import('../effects/git/repository.ts')
    const repository = findRepository(root)
    repository.catch(() => {})
    setImmediate(meanwhile)
    await import('../db/open/open.ts')
    const effects = await import('../effects/opening/open-core.ts')
    await first?.((await repository).root)
    const world = await effects.openWorld((await repository).root, {
      openStore: async (path) => openBoard((await repository).root, path, joins),
      self,
      version,
      warn,
    })
    return {
      ...world,
      serveAgent: async (environment, stream) =>
        (await import('./serve-agent.ts')).serveAgent(world, environment, stream, interrupted),
    }
  }

  /** Only the database of the repository that contains `root`. */
  const openDatabase = async (root: string): Promise<{ store: Store }> => {
    const repository = await (await import('../effects/git/repository.ts')).findRepository(root)
    const { databasePath } = await import('../effects/files/places.ts')
    const store = await openBoard(repository.root, databasePath(repository.root))
    stores.push(store)
    return { store }
  }

  const opening: Opening = {
    ...{ openFile, openServer, migrations, version, self },
    openWorld: (root) => openWorld(root),
    joinWorld: (root) => openWorld(root, undefined, undefined, true),
  }
  return { openWorld, openDatabase, ...boardServices(opening), ...fleetServices(opening) }
}

export const connect = async (world: World): Promise<Connection> => {
  const { identityOf } = await import('../effects/opening/identity.ts')
  const { outsideOf } = await import('../effects/opening/outside.ts')
  const connection = { core: world.core, actor: await identityOf(world, process.env), outside: outsideOf(world) }
  opened.set(connection, world)
  return connection
}

export const worldOf = (connection: Connection): World => opened.get(connection)!

/** Closes every database that was opened. */
export const closeDatabases = (): void => {
  for (const { core } of opened.values()) core.store.close()
  for (const store of stores) store.close()
}
