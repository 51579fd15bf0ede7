import { z } from 'zod'
import { holdRequested } from '../../db/integrations.ts'
import { recordDifference, replaceTrusted, selectGuard } from '../../db/repository.ts'
import { areSame, ownOf } from '../../domain/integration/trusted-configuration.ts'
import { doAgentsRun, mayBeOfRun } from '../agents/steps/running-agents.ts'
import { operation } from '../perform/operation.ts'

export const adoptConfiguration = operation({
  name: 'adopt_configuration',
  summary: "Apply aiswarm's own configuration as it is now: only a person can have changed it, or aiswarm did",
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      /** The trusted state when the change was found. */
      before: z.string(),
      found: z.strictObject({ hash: z.string(), entries: z.record(z.string(), z.string()) }),
      /** The author of the change: a person only if no agent ran then, or just before, that may have made it. */
      by: z.enum(['aiswarm', 'nobody else']),
      /**
       * When the changed files were last modified, by the system's record; null if unknown, for example of a deleted
       * file.
       */
      changedAt: z.string().nullable(),
    }),
  output: () => z.object({ adopted: z.boolean() }),
  run: async (context, { before, found, by, changedAt }) => {
    const { db } = context
    const row = await selectGuard(db)
    if (!row || row.hash !== before) return { adopted: false }
    if (by === 'nobody else') {
      // A change made while an agent ran waits for a person, even long after that agent has ended.
      const waits =
        row.changed_entries !== null && !areSame(ownOf(entriesOf(row.changed_entries)), ownOf(entriesOf(row.entries)))
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
