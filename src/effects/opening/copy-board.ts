import { existsSync, renameSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BoardCopied, CopyRequest, NamedServer } from '../../contracts/board-copy.ts'
import type { StoreAddress } from '../../contracts/store-address.ts'
import type { Core } from '../../operations/door/core.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { instant } from '../../domain/words/time.ts'
import { copyDatabase, whyInUse } from '../../operations/loops/copy-database.ts'
import { restoreDatabase } from '../../operations/loops/maintain-database.ts'
import { databasePath, movedPath, storePath } from '../files/places.ts'
import { refuseBelowAgent } from './ancestry.ts'
import { ensureFolder } from './initialise.ts'
import { addressFrom, draftStoreFile, STORE_VARIABLE, storeAddress, writeStoreFile } from './store-address.ts'

type Store = Core['store']

export interface CopyOpeners {
  readonly openFile: (path: string) => Promise<Store>
  readonly openServer: (address: StoreAddress) => Promise<Store>
}

/** Moves the board of a repository to PostgreSQL or back to the database file, on a person's request. */
export const copyBoard = async (root: string, request: CopyRequest, openers: CopyOpeners): Promise<BoardCopied> => {
  refuseBelowAgent(root, 'move the board')
  ensureFolder(root)
  const { url, passwordCommand } = request
  const address = await addressFrom(root, { url, passwordCommand })
  return request.direction === 'to'
    ? copyToServer(root, address, request, openers)
    : copyToFile(root, address, request, openers)
}

/** How often a board that is in use is looked at (ms). */
const AGAIN = 500

const waitUntilFree = async (from: Store, { patience }: CopyRequest): Promise<void> => {
  if (patience === undefined) return
  const { waits, signal } = patience
  for (let said = ''; ;) {
    const used = await whyInUse(from, now())
    if (used === undefined) return
    if (used.why !== said) waits(used.why)
    said = used.why
    await sleep(AGAIN, undefined, { signal }).catch(() => {})
    if (signal?.aborted) throw new Refusal('invalid_state', 'The copy was interrupted before it began.')
  }
}

const copyToServer = async (
  root: string,
  address: StoreAddress,
  request: CopyRequest,
  { openFile, openServer }: CopyOpeners,
): Promise<BoardCopied> => {
  const { passwordCommand } = request
  const present = await storeAddress(root, process.env)
  if (present?.url === address.url && present.schema === address.schema)
    throw new Refusal(
      'already_exists',
      "The board is on that server already. Name the git remote of its hosts with 'aiswarm fleet remote URL'.",
    )
  const from = present ? await openServer(present) : await openFile(databasePath(root))
  try {
    await waitUntilFree(from, request)
    const to = await openServer(address)
    try {
      const tables = await copyDatabase(from, to, now(), async () => {
        const nameServer = await draftStoreFile(root, { url: address.url, schema: address.schema, passwordCommand })
        // First, so that no process goes on writing here once the server is the board.
        await from.maintenance.leave(to.path)
        nameServer()
      })
      return { from: from.path, to: to.path, tables }
    } finally {
      to.close()
    }
  } finally {
    from.close()
  }
}

const copyToFile = async (
  root: string,
  address: StoreAddress,
  request: CopyRequest,
  { openFile, openServer }: CopyOpeners,
): Promise<BoardCopied> => {
  const path = databasePath(root)
  const draft = `${path}.copy-${process.pid}`
  const from = await openServer(address)
  try {
    await waitUntilFree(from, request)
    const to = await openFile(draft)
    try {
      const tables = await copyDatabase(from, to, now(), async () => {
        to.close()
        rmSync(movedPath(root), { force: true })
        if (existsSync(path)) restoreDatabase(path, draft, now())
        else renameSync(draft, path)
        await writeStoreFile(root, undefined)
        await from.maintenance.leave(path)
      })
      return { from: from.path, to: path, tables }
    } finally {
      to.close()
    }
  } finally {
    from.close()
    for (const part of ['', '-wal', '-shm']) rmSync(`${draft}${part}`, { force: true })
  }
}

const now = () => instant(Date.now())

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

/** A board that is somewhere already keeps its tasks. */
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
