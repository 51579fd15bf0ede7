import type { Services } from '../cli/call/services.ts'
import type { Connection } from '../contracts/outside.ts'
import type { Store } from '../db/open/open.ts'
import type { World } from '../effects/world.ts'

const opened = new Map<Connection, World>()
/** Databases that were opened without a world. */
const stores: Store[] = []

const warn = (sentence: string): void => void process.stderr.write(`aiswarm: ${sentence}\n`)

/** Opens repositories for this program: `migrations` is the folder of its migrations, `self` the words that start it. */
export const makeOpeners = (migrations: string, self: readonly string[]) => {
  /**
   * The repository that contains `root`, and its open database. `meanwhile` runs while git searches, `first` before
   * anything is created in the repository.
   */
  const openWorld = async (
    root: string,
    meanwhile: () => void = () => {},
    first?: (root: string) => Promise<void>,
  ): Promise<World> => {
    const { findRepository } = await import('../effects/git/repository.ts')
    const repository = findRepository(root)
    repository.catch(() => {})
    setImmediate(meanwhile)
    const { openStore } = await import('../db/open/open.ts')
    const effects = await import('../effects/opening/open-core.ts')
    await first?.((await repository).root)
    return effects.openWorld((await repository).root, {
      openStore: (path) => openStore(path, { migrations, warn }),
      self,
      warn,
    })
  }

  /** Only the database of the repository that contains `root`. */
  const openDatabase = async (root: string): Promise<{ store: Store }> => {
    const repository = await (await import('../effects/git/repository.ts')).findRepository(root)
    const { databasePath } = await import('../effects/files/places.ts')
    const { openStore } = await import('../db/open/open.ts')
    const store = await openStore(databasePath(repository.root), { migrations, warn })
    stores.push(store)
    return { store }
  }

  const restoreDatabase = async (folder: string, file: string): ReturnType<Services['restoreDatabase']> => {
    const { root } = await (await import('../effects/git/repository.ts')).findRepository(folder)
    const { restoreBoard } = await import('../effects/opening/restore-board.ts')
    return restoreBoard(root, file, { open: () => openWorld(root), report: warn })
  }

  return { openWorld, openDatabase, restoreDatabase }
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
