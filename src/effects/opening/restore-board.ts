import { refuseBelowAgent } from './ancestry.ts'
import { instant } from '../../domain/words/time.ts'
import { person } from '../../domain/agent/actor.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { defaultSettings } from '../../domain/settings/settings.ts'
import type { Core } from '../../operations/door/core.ts'
import { perform } from '../../operations/door/perform.ts'
import { declareRestored } from '../../operations/hosts/declare-restored.ts'
import { restoreDatabase } from '../../operations/loops/maintain-database.ts'
import { recordDatabaseRestore } from '../../operations/loops/record-database-restore.ts'
import { ensureFolder } from './initialise.ts'
import { storeAddress } from './store-address.ts'
import { databasePath } from '../files/places.ts'
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

/**
 * Says for a person that the board was restored to an earlier time. Opened without its host, which is refused until then.
 */
export const restoreFleet = async (
  root: string,
  openStore: () => Promise<Core['store'] | undefined>,
): ReturnType<(typeof declareRestored)['run']> => {
  refuseBelowAgent(root, 'say that the board was restored')
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
    return await perform(core, declareRestored, {}, person)
  } finally {
    store.close()
  }
}
