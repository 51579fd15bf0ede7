import { z } from 'zod'
import { holdRequested } from '../db/integrations.ts'
import { recordDifference, replaceTrusted, selectGuard } from '../db/repository-guard.ts'
import { areSame, ownOf } from '../domain/own-configuration.ts'
import { doAgentsRun, mayBeOfRun } from './kernel/attended.ts'
import { operation } from './kernel/operation.ts'

export const adoptConfiguration = operation({
  name: 'adopt_configuration',
  summary: "Obey aiswarm's own configuration as it is now: nobody but a person can have changed it, or aiswarm itself did",
  access: 'write',
  authority: 'system',
  input: z.strictObject({
    /** What was trusted when the change was seen. */
    before: z.string(),
    found: z.strictObject({ hash: z.string(), entries: z.record(z.string(), z.string()) }),
    /** Whose change it is: a person's only where no agent runs, or ran a moment before, that may have made it. */
    by: z.enum(['aiswarm', 'nobody else']),
    /** When the files that differ were changed last, as the system says; null where it cannot be told, as of a file that is gone. */
    changedAt: z.string().nullable(),
  }),
  output: z.object({ adopted: z.boolean() }),
  run: async (context, { before, found, by, changedAt }) => {
    const { db } = context
    const row = await selectGuard(db)
    if (!row || row.hash !== before) return { adopted: false }
    if (by === 'nobody else') {
      // What came while an agent ran waits for a person, however long ago that agent has ended.
      const waits = row.changed_entries !== null && !areSame(ownOf(entriesOf(row.changed_entries)), ownOf(entriesOf(row.entries)))
      if (waits || (await doAgentsRun(context)) || (await mayBeOfRun(context, changedAt))) return { adopted: false }
    }
    const adopted = await replaceTrusted(db, before, { hash: found.hash, entries: JSON.stringify(found.entries) })
    if (row.changed_hash === found.hash) {
      await recordDifference(db, null)
      await holdRequested(db, null)
    }
    return { adopted }
  },
  subject: ({ adopted }, { by }) => (adopted ? { details: { by } } : null),
})

const entriesOf = (text: string): Record<string, string> => JSON.parse(text) as Record<string, string>
