import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { StoreAddress } from '../contracts/board-store.ts'
import type { Store } from '../db/engine/store.ts'
import type { OpenServer } from '../effects/opening/copy-board.ts'

/** Opens boards for this program: `migrations` is the folder of its migrations. */
export const boardOpeners = (migrations: string, version: string) => {
  const openFile = async (path: string): Promise<Store> =>
    (await import('../db/sqlite/open.ts')).openStore(path, { migrations, warn })

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
    const { hasUsed, rememberUsed } = await import('../effects/starting/store-address.ts')
    const store = await openServer(address, joins || hasUsed(root, address.schema))
    rememberUsed(root, address.schema)
    return store
  }

  return { openFile, openServer, openBoard }
}

export const warn = (sentence: string): void => void process.stderr.write(`aiswarm: ${sentence}\n`)

/** The address of another store than the database file; nothing is loaded for a repository that names none. */
export const addressOf = async (root: string): Promise<StoreAddress | undefined> => {
  const { storePath } = await import('../effects/files/paths.ts')
  if (!process.env['AISWARM_STORE'] && !existsSync(storePath(root))) return undefined
  return (await import('../effects/starting/store-address.ts')).storeAddress(root, process.env)
}

/**
 * Where opening would make the board on a server; undefined if there is one, if this clone has used it and so makes none,
 * and for a board in a file.
 */
export const emptyPlace = async (root: string): Promise<string | undefined> => {
  const address = await addressOf(root)
  if (address === undefined || (await import('../effects/starting/store-address.ts')).hasUsed(root, address.schema))
    return undefined
  return (await import('../db/postgres/open.ts')).emptyPlace(address)
}
