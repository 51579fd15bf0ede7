import { existsSync } from 'node:fs'
import type { NamedServer } from '../../contracts/board-copy.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { databasePath, storePath } from '../files/places.ts'
import { refuseBelowAgent } from './ancestry.ts'
import type { CopyOpeners } from './copy-board.ts'
import { ensureFolder } from './initialise.ts'
import { addressFrom, STORE_VARIABLE, storeAddress, writeStoreFile } from './store-address.ts'

/**
 * Begins a repository's board on a server, on a person's request. The server is opened, and the board made there, before
 * anything is written here; a refusal leaves the checkout as it was. Returns the paths created.
 */
export const nameStore = async (
  root: string,
  { url, passwordCommand }: NamedServer,
  openServer: CopyOpeners['openServer'],
): Promise<readonly string[]> => {
  refuseBelowAgent(root, 'name a store')
  const address = await addressFrom(root, { url, passwordCommand })
  await refuseOther(root, address)
  const store = await openServer(address)
  store.close()
  if (existsSync(storePath(root))) return []
  ensureFolder(root)
  await writeStoreFile(root, { url: address.url, schema: address.schema, passwordCommand })
  return [storePath(root)]
}

/** A board that is somewhere already would be left behind, with its tasks. */
const refuseOther = async (root: string, address: { readonly url: string; readonly schema: string }): Promise<void> => {
  const present = await storeAddress(root, process.env)
  if (present && (present.url !== address.url || present.schema !== address.schema))
    throw new Refusal(
      'already_exists',
      process.env[STORE_VARIABLE]
        ? `${STORE_VARIABLE} names another store (${present.url}), and counts before the file. Leave --store out, or unset ${STORE_VARIABLE}.`
        : `${storePath(root)} names another store (${present.url}). Move the board with 'aiswarm db copy --to URL'.`,
    )
  if (!present && existsSync(databasePath(root)))
    throw new Refusal(
      'already_exists',
      `The board of this repository is in ${databasePath(root)}. Move it with 'aiswarm db copy --to ${address.url}'.`,
    )
}
