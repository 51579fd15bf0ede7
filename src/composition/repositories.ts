import { join } from 'node:path'
import type { Services } from '../cli/call/services.ts'
import type { Store } from '../db/engine/store.ts'
import type { OpenServer } from '../effects/opening/copy-board.ts'
import type { World } from '../effects/world.ts'
import type { Connection } from '../operations/perform/core.ts'
import { addressOf, boardOpeners, warn } from './boards.ts'

// Opens repositories for this program: with their board, before it is opened, or without it. Each service loads
// only what it needs.

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
    await import('../db/sqlite/open.ts')
    const effects = await import('../effects/opening/open-core.ts')
    await first?.((await repository).root)
    const world = await effects.openWorld((await repository).root, {
      openStore: async (path) => openBoard((await repository).root, path, joins),
      self,
      version,
      warn,
    })
    // The leases of agents whose processes are watched by the loops of this host are renewed by these.
    const doorway = async () =>
      (await import('./doorway.ts')).doorwayOf(() => Promise.resolve(world), interrupted, false)
    return {
      ...world,
      doorway: {
        tools: async (caller, stream) => (await doorway()).tools(caller, stream),
        perform: async (caller, call, output) => (await doorway()).perform(caller, call, output),
      },
    }
  }

  /** Only the database of the repository that contains `root`. */
  const openDatabase = async (root: string): Promise<{ store: Store }> => {
    const repository = await (await import('../effects/git/repository.ts')).findRepository(root)
    const { databasePath } = await import('../effects/files/paths.ts')
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

// The services that work on a repository before its board is opened, or without it.

/** How this program opens boards. */
interface Opening {
  readonly openWorld: (root: string) => Promise<World>
  /** The same for a clone that joins the board, which is there already. */
  readonly joinWorld: (root: string) => Promise<World>
  readonly openFile: (path: string) => Promise<Store>
  readonly openServer: OpenServer
  /** The folder of the migrations. */
  readonly migrations: string
  readonly version: string
  /** The words that start this program. */
  readonly self: readonly string[]
}

const rootOf = async (folder: string): Promise<string> =>
  (await (await import('../effects/git/repository.ts')).findRepository(folder)).root

/** Boards are copied, restored, migrated and named. */
const boardServices = ({
  openWorld,
  openFile,
  openServer,
  migrations,
  version,
}: Opening): Pick<Services, 'findLostMerges' | 'restoreDatabase' | 'copyBoard' | 'migrateBoard' | 'nameStore'> => ({
  findLostMerges: async (folder, landed) => {
    const root = await rootOf(folder)
    return (await import('../effects/integration/lost-merges.ts')).findLostMerges(root, landed)
  },

  restoreDatabase: async (folder, file) => {
    const root = await rootOf(folder)
    const { restoreBoard } = await import('../effects/opening/restore-board.ts')
    return restoreBoard(root, file, { open: () => openWorld(root), report: warn })
  },

  copyBoard: async (folder, request) => {
    const root = await rootOf(folder)
    const { copyBoard } = await import('../effects/opening/copy-board.ts')
    const { withPassword } = await import('../db/postgres/address.ts')
    return withPassword(request.url, request.askPassword, () => copyBoard(root, request, { openFile, openServer }))
  },

  migrateBoard: async (folder, again) => {
    const root = await rootOf(folder)
    const address = await addressOf(root)
    if (address === undefined) return
    const { migratePostgres } = await import('../db/postgres/open.ts')
    await migratePostgres(address, { migrations: join(migrations, 'postgres'), version, again })
  },

  nameStore: async (folder, server) => {
    const root = await rootOf(folder)
    return (await import('../effects/opening/copy-board.ts')).nameStore(root, server, openServer)
  },
})

/** Hosts join a fleet, are restored, and push. */
const fleetServices = ({
  joinWorld,
  openFile,
  openServer,
  self,
}: Opening): Pick<
  Services,
  'joinLine' | 'joinFleet' | 'restoreFleet' | 'installWorker' | 'renewSecret' | 'keepNote' | 'tryRemote'
> => ({
  joinLine: async (folder, secret) => {
    const root = await rootOf(folder)
    return (await import('../effects/opening/join-fleet.ts')).joinLine(root, secret)
  },

  joinFleet: async (folder, request) => {
    const root = await rootOf(folder)
    const { addressIn, joinFleet } = await import('../effects/opening/join-fleet.ts')
    const { withPassword } = await import('../db/postgres/address.ts')
    return withPassword(addressIn(request.line), request.askPassword, () =>
      joinFleet(root, { ...request, openFile, open: () => joinWorld(root) }),
    )
  },

  restoreFleet: async (folder, said) => {
    const root = await rootOf(folder)
    return (await import('../effects/opening/restore-board.ts')).restoreFleet(root, said, async () => {
      const address = await addressOf(root)
      return address === undefined ? undefined : openServer(address, true)
    })
  },

  installWorker: async (folder) => {
    const root = await rootOf(folder)
    return (await import('../effects/starting/worker-unit.ts')).installWorker(root, self)
  },

  renewSecret: async (folder) => {
    const root = await rootOf(folder)
    ;(await import('../effects/files/secret.ts')).renewSecret(root)
  },

  keepNote: async (folder, note) => {
    const root = await rootOf(folder)
    return (await import('../effects/hosts/offline-notes.ts')).keepNote(root, process.env, note)
  },

  tryRemote: async (folder, remote) => {
    const root = await rootOf(folder)
    return (await import('../effects/remote/probe.ts')).tryRemote({ root, ...remote })
  },
})
