import { join } from 'node:path'
import type { Store } from '../db/engine/store.ts'
import type { OpenServer } from '../effects/opening/copy-board.ts'
import { addressOf, warn } from './store-address.ts'

/** Opens boards for this program: `migrations` is the folder of its migrations. */
export const boardOpeners = (migrations: string, version: string) => {
  const openFile = async (path: string): Promise<Store> =>
    (await import('../db/open/open.ts')).openStore(path, { migrations, warn })

  const openServer: OpenServer = async (address, isThere = false) =>
    (await import('../db/postgres/open.ts')).openPostgres(address, {
      migrations: join(migrations, 'postgres'),
      isThere,
      version,
      openFile,
    })

  /**
   * The board of the repository: on the server that it names, otherwise the database file at `path`. A clone that has used
   * the board, or joins it, makes none.
   */
  const openBoard = async (root: string, path: string, joins = false): Promise<Store> => {
    const address = await addressOf(root)
    if (address === undefined) return openFile(path)
    const { hasUsed, rememberUsed } = await import('../effects/starting/used-board.ts')
    const store = await openServer(address, joins || hasUsed(root, address.schema))
    rememberUsed(root, address.schema)
    return store
  }

  return { openFile, openServer, openBoard }
}
