import { existsSync, renameSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BoardCopied, CopyRequest, NamedServer, StoreAddress } from '../../contracts/board-store.ts'
import type { Core } from '../../operations/perform/core.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { instant } from '../../domain/words/time.ts'
import { copyDatabase, openTarget, whyInUse } from '../../operations/database/copy.ts'
import { restoreDatabase } from '../../operations/database/maintenance.ts'
import { databasePath, movedPath, storePath } from '../files/paths.ts'
import { rememberedHost } from '../hosts/own-host.ts'
import { refuseBelowAgent } from './ancestry.ts'
import { ensureFolder } from '../starting/initialise.ts'
import { addressFrom, draftStoreFile, STORE_VARIABLE, storeAddress, writeStoreFile } from '../starting/store-address.ts'

type Store = Core['store']

/** Opens the board on a server, and makes it if there is none, unless it `isThere`. */
export type OpenServer = (address: StoreAddress, isThere?: boolean) => Promise<Store>

interface CopyOpeners {
  readonly openFile: (path: string) => Promise<Store>
  readonly openServer: OpenServer
}

/** Moves the board of a repository to PostgreSQL or back to the database file, on a person's request. */
export const copyBoard = async (root: string, request: CopyRequest, openers: CopyOpeners): Promise<BoardCopied> => {
  refuseBelowAgent(root, 'move the board')
  if (process.env[STORE_VARIABLE])
    throw new Refusal(
      'invalid_state',
      `${STORE_VARIABLE} names the board, and counts before ${storePath(root)}, so the copy would not be used. Unset ${STORE_VARIABLE} first.`,
    )
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
  if (present && isSamePlace(present, address))
    throw new Refusal(
      'already_exists',
      "The board is on that server already. Name the git remote of its hosts with 'aiswarm fleet remote URL'.",
    )
  const from = present ? await openServer(present, true) : await openFile(databasePath(root))
  try {
    await waitUntilFree(from, request)
    const to = await openTarget(() => openServer(address), `${address.url} (${address.schema})`)
    try {
      let nameServer = (): void => {}
      const tables = await copyDatabase(from, to, now(), async (leave) => {
        nameServer = await draftStoreFile(root, { url: address.url, schema: address.schema, passwordCommand })
        await leave(to.path)
      })
      // Last, so that no process goes on writing to the other board once the server is the board.
      nameServer()
      return { from: from.path, to: to.path, kept: null, tables }
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
  await refuseOtherBoard(root, address)
  refuseOtherHost(root)
  const path = databasePath(root)
  const draft = `${path}.copy-${process.pid}`
  const from = await openServer(address, true)
  try {
    await waitUntilFree(from, request)
    const to = await openFile(draft)
    let kept: string | null = null
    try {
      const tables = await copyDatabase(from, to, now(), async (leave) => {
        to.close()
        // Until the server is left, it is the board, also for a process that is killed in between.
        if (!existsSync(storePath(root))) await writeStoreFile(root, { ...request, ...address })
        rmSync(movedPath(root), { force: true })
        if (existsSync(path)) kept = restoreDatabase(path, draft, now()).kept
        else renameSync(draft, path)
        await leave(path)
      })
      await writeStoreFile(root, undefined)
      return { from: from.path, to: path, kept, tables }
    } finally {
      to.close()
    }
  } finally {
    from.close()
    for (const part of ['', '-wal', '-shm']) rmSync(`${draft}${part}`, { force: true })
  }
}

/** A checkout whose board is not on that server would lose its own; a file that was left has been copied there. */
const refuseOtherBoard = async (root: string, address: StoreAddress): Promise<void> => {
  const present = await storeAddress(root, process.env)
  if (present && !isSamePlace(present, address))
    throw new Refusal(
      'already_exists',
      `The board of this repository is on another server: ${storePath(root)} names ${present.url} (${present.schema}). Name that one, or correct the file.`,
    )
  if (!present && existsSync(databasePath(root)) && !existsSync(movedPath(root)))
    throw new Refusal(
      'already_exists',
      `This repository has a board of its own in ${databasePath(root)}, which the copy would replace. Move that file away first, or copy the board of the server in another checkout.`,
    )
}

/** A board in a file has one host: the checkout where the worktrees of the first host are. */
const refuseOtherHost = (root: string): void => {
  const host = rememberedHost(root)
  if (host !== undefined && host !== LOCAL)
    throw new Refusal(
      'invalid_state',
      'This checkout has joined the board as another host. Run the command in the checkout of the first host.',
    )
}

/** True if two addresses name the same schema of the same database, for any user and with any options. */
const isSamePlace = (one: StoreAddress, other: StoreAddress): boolean =>
  one.schema === other.schema && placeOf(one.url) === placeOf(other.url)

const placeOf = (url: string): string => {
  const { hostname, port, pathname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? decodeURIComponent(hostname)
  return [host || 'localhost', searchParams.get('port') ?? (port || '5432'), pathname].join(' ')
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
