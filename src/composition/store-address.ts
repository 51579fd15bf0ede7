import { existsSync } from 'node:fs'
import type { StoreAddress } from '../contracts/board-store.ts'

export const warn = (sentence: string): void => void process.stderr.write(`aiswarm: ${sentence}\n`)

/** The address of another store than the database file; nothing is loaded for a repository that names none. */
export const addressOf = async (root: string): Promise<StoreAddress | undefined> => {
  const { storePath } = await import('../effects/files/places.ts')
  if (!process.env['AISWARM_STORE'] && !existsSync(storePath(root))) return undefined
  return (await import('../effects/opening/store-address.ts')).storeAddress(root, process.env)
}

/**
 * Where opening would make the board on a server; undefined if there is one, if this clone has used it and so makes none,
 * and for a board in a file.
 */
export const emptyPlace = async (root: string): Promise<string | undefined> => {
  const address = await addressOf(root)
  if (address === undefined || (await import('../effects/starting/used-board.ts')).hasUsed(root, address.schema))
    return undefined
  return (await import('../db/postgres/open.ts')).emptyPlace(address)
}
