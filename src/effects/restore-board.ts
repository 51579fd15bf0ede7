import { refuseBelowAgent } from './ancestry.ts'
import { instant } from '../domain/time.ts'
import { person } from '../domain/actor.ts'
import { isRefusal, Refusal } from '../domain/refusal.ts'
import { perform } from '../operations/kernel/perform.ts'
import { restoreDatabase } from '../operations/maintain-database.ts'
import { recordDatabaseRestore } from '../operations/record-database-restore.ts'
import { startedBy } from './ancestry.ts'
import { ensureFolder } from './initialise.ts'
import { databasePath } from './places.ts'
import type { World } from './world.ts'

/** Puts a copy in the place of the database, for a person, and writes an event about it on the restored board. */
export const restoreBoard = async (
  root: string,
  file: string,
  { open, report }: { readonly open: () => Promise<World>; readonly report: (sentence: string) => void },
): Promise<ReturnType<typeof restoreDatabase>> => {
  refuseBelowAgent(root, 'replace the database')
  const starter = startedBy(root)
  if (starter !== undefined) throw new Refusal('not_allowed', `Only a person may restore the database, and ${starter} started this command.`)
  ensureFolder(root)
  const restored = restoreDatabase(databasePath(root), file, instant(Date.now()))
  try {
    const { core } = await open()
    try {
      await perform(core, recordDatabaseRestore, { from: restored.from, kept: restored.kept }, person)
    } finally {
      core.store.close()
    }
  } catch (error) {
    // It is restored all the same; why it cannot be opened is the next thing to look at.
    if (!isRefusal(error)) throw error
    report(error.message)
  }
  return restored
}
