import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Services } from '../cli/call/services.ts'
import type { Connection } from '../operations/door/connection.ts'
import type { StoreAddress } from '../contracts/store-address.ts'
import type { Store } from '../db/engine/store.ts'
import type { World } from '../effects/world.ts'

const opened = new Map<Connection, World>()
/** Databases that were opened without a world. */
const stores: Store[] = []

const warn = (sentence: string): void => void process.stderr.write(`aiswarm: ${sentence}\n`)

/** The address of another store than the database file; nothing is loaded for a repository that names none. */
const addressOf = async (root: string): Promise<StoreAddress | undefined> => {
  const { storePath } = await import('../effects/files/places.ts')
  if (!process.env['AISWARM_STORE'] && !existsSync(storePath(root))) return undefined
  return (await import('../effects/opening/store-address.ts')).storeAddress(root, process.env)
}

/** Opens repositories for this program: `migrations` is the folder of its migrations, `self` the words that start it, and `interrupted` ends what it serves. */
export const makeOpeners = (migrations: string, self: readonly string[], version: string, interrupted: AbortSignal) => {
  /** The board of the repository: on the server that it names, otherwise the database file at `path`. */
  const openBoard = async (root: string, path: string): Promise<Store> => {
    const address = await addressOf(root)
    return address === undefined ? openFile(path) : openServer(address)
  }

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
    await import('../db/open/open.ts')
    const effects = await import('../effects/opening/open-core.ts')
    await first?.((await repository).root)
    const world = await effects.openWorld((await repository).root, {
      openStore: async (path) => openBoard((await repository).root, path),
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

  const findLostMerges: Services['findLostMerges'] = async (folder, landed) => {
    const { root } = await (await import('../effects/git/repository.ts')).findRepository(folder)
    return (await import('../effects/integration/landed.ts')).findLostMerges(root, landed)
  }

  const restoreDatabase = async (folder: string, file: string): ReturnType<Services['restoreDatabase']> => {
    const { root } = await (await import('../effects/git/repository.ts')).findRepository(folder)
    const { restoreBoard } = await import('../effects/opening/restore-board.ts')
    return restoreBoard(root, file, { open: () => openWorld(root), report: warn })
  }

  const openFile = async (path: string): Promise<Store> =>
    (await import('../db/open/open.ts')).openStore(path, { migrations, warn })

  const openServer = async (address: StoreAddress): Promise<Store> =>
    (await import('../db/postgres/open.ts')).openPostgres(address, {
      migrations: join(migrations, 'postgres'),
      version,
      openFile,
    })

  const copyBoard: Services['copyBoard'] = async (folder, request) => {
    const { root } = await (await import('../effects/git/repository.ts')).findRepository(folder)
    const { copyBoard } = await import('../effects/opening/copy-board.ts')
    const { withPassword } = await import('../db/postgres/asked-password.ts')
    return withPassword(request.url, request.askPassword, () => copyBoard(root, request, { openFile, openServer }))
  }

  const migrateBoard: Services['migrateBoard'] = async (folder, again) => {
    const { root } = await (await import('../effects/git/repository.ts')).findRepository(folder)
    const address = await addressOf(root)
    if (address === undefined) return
    const { migratePostgres } = await import('../db/postgres/open.ts')
    await migratePostgres(address, { migrations: join(migrations, 'postgres'), version, again })
  }

  const nameStore: Services['nameStore'] = async (folder, server) => {
    const { root } = await (await import('../effects/git/repository.ts')).findRepository(folder)
    return (await import('../effects/opening/copy-board.ts')).nameStore(root, server, openServer)
  }

  const joinLine: Services['joinLine'] = async (folder, secret) => {
    const { root } = await (await import('../effects/git/repository.ts')).findRepository(folder)
    return (await import('../effects/opening/join-fleet.ts')).joinLine(root, secret)
  }

  const joinFleet: Services['joinFleet'] = async (folder, request) => {
    const { root } = await (await import('../effects/git/repository.ts')).findRepository(folder)
    const { addressIn, joinFleet } = await import('../effects/opening/join-fleet.ts')
    const { withPassword } = await import('../db/postgres/asked-password.ts')
    return withPassword(addressIn(request.line), request.askPassword, () =>
      joinFleet(root, { ...request, open: () => openWorld(root) }),
    )
  }

  const restoreFleet: Services['restoreFleet'] = async (folder) => {
    const { root } = await (await import('../effects/git/repository.ts')).findRepository(folder)
    return (await import('../effects/opening/restore-board.ts')).restoreFleet(root, async () => {
      const address = await addressOf(root)
      return address === undefined ? undefined : openServer(address)
    })
  }

  const installWorker: Services['installWorker'] = async (folder) => {
    const { root } = await (await import('../effects/git/repository.ts')).findRepository(folder)
    return (await import('../effects/starting/worker-unit.ts')).installWorker(root, self)
  }

  const renewSecret: Services['renewSecret'] = async (folder) => {
    const { root } = await (await import('../effects/git/repository.ts')).findRepository(folder)
    ;(await import('../effects/files/secret.ts')).renewSecret(root)
  }

  const keepNote: Services['keepNote'] = async (folder, note) => {
    const { root } = await (await import('../effects/git/repository.ts')).findRepository(folder)
    return (await import('../effects/hosts/deliver-notes.ts')).keepNote(root, process.env, note)
  }

  const probeRemote: Services['probeRemote'] = async (folder, url) => {
    const { root } = await (await import('../effects/git/repository.ts')).findRepository(folder)
    await (await import('../effects/remote/probe.ts')).probeRemote({ root, url })
  }

  return {
    openWorld,
    openDatabase,
    findLostMerges,
    restoreDatabase,
    copyBoard,
    migrateBoard,
    nameStore,
    joinLine,
    joinFleet,
    restoreFleet,
    renewSecret,
    installWorker,
    keepNote,
    probeRemote,
  }
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
