import { refuseBelowAgent } from './ancestry.ts'
import { instant } from '../../domain/words/time.ts'
import { person, system } from '../../domain/agent/actor.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { defaultSettings } from '../../domain/settings/settings.ts'
import type { Core } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { whyNotRestored } from '../../domain/host/heartbeat.ts'
import { declareRestored } from '../../operations/failover/restored-board.ts'
import { readOwnHost } from '../../operations/hosts/own-host.ts'
import { recordDatabaseRestore, restoreDatabase } from '../../operations/database/maintenance.ts'
import { ensureFolder } from '../starting/initialise.ts'
import { storeAddress } from '../starting/store-address.ts'
import { databasePath } from '../files/paths.ts'
import { rememberedHost, seenBeat } from '../hosts/own-host.ts'
import type { World } from '../world.ts'

/** Replaces the database by a copy on a person's request, and writes an event about it to the restored board. */
export const restoreBoard = async (
  root: string,
  file: string,
  { open, report }: { readonly open: () => Promise<World>; readonly report: (sentence: string) => void },
): Promise<ReturnType<typeof restoreDatabase>> => {
  refuseBelowAgent(root, 'replace the database')
  ensureFolder(root)
  const address = await storeAddress(root, process.env)
  if (address !== undefined)
    throw new Refusal(
      'invalid_state',
      `This board is on PostgreSQL. Restore its server, then run 'aiswarm fleet restored'. For a FILE of 'db backup', clone the repository anew; run 'aiswarm db restore FILE' and 'aiswarm db copy --to URL?schema=NEW' there, and write that schema into .aiswarm/store.yaml of each host.`,
    )
  const restored = restoreDatabase(databasePath(root), file, instant(Date.now()))
  try {
    const { core } = await open()
    try {
      await perform(core, recordDatabaseRestore, { from: restored.from, kept: restored.kept }, person)
    } finally {
      core.store.close()
    }
  } catch (error) {
    // The restore has succeeded; the reason why the database cannot be opened is handled next.
    if (!isRefusal(error)) throw error
    report(error.message)
  }
  return restored
}

interface SaidRestored {
  /** True if the person says so although nothing looks restored. */
  readonly anyway: boolean
  /** Refuses unless the person means it; asked once nothing else refuses. */
  readonly confirm: () => Promise<void>
}

/**
 * Says for a person that the board was restored to an earlier time. Opened without its host, which is refused until then.
 */
export const restoreFleet = async (
  root: string,
  { anyway, confirm }: SaidRestored,
  openStore: () => Promise<Core['store'] | undefined>,
): ReturnType<(typeof declareRestored)['run']> => {
  refuseBelowAgent(root, 'say that the board was restored')
  const hostId = rememberedHost(root)
  const clone = hostId === undefined ? null : { hostId, seen: seenBeat(root) ?? null }
  await onServer(root, openStore, async (core) => {
    const host = clone === null ? null : await perform(core, readOwnHost, { hostId: clone.hostId }, system())
    const why = anyway ? undefined : whyNotRestored(clone, host)
    if (why !== undefined) throw new Refusal('invalid_state', why)
  })
  // No connection is held while the person types.
  await confirm()
  return onServer(root, openStore, (core) => perform(core, declareRestored, { clone, anyway }, person))
}

const onServer = async <T>(
  root: string,
  openStore: () => Promise<Core['store'] | undefined>,
  act: (core: Core) => Promise<T>,
): Promise<T> => {
  const store = await openStore()
  if (store === undefined)
    throw new Refusal(
      'invalid_state',
      "The board is in a database file, which has one host. 'aiswarm db restore' is all that it needs.",
    )
  try {
    const core: Core = {
      ...{ store, root, settings: defaultSettings, kinds: [], memoryUser: '' },
      clock: () => instant(Date.now()),
      allowRules: () => [],
      newToken: () => '',
      launchToken: () => '',
    }
    return await act(core)
  } finally {
    store.close()
  }
}
