import { z } from 'zod'
import { holdRequested } from '../../db/integrations.ts'
import { recordDifference, replaceTrusted, selectGuard } from '../../db/repository.ts'
import { deleteWantedRule } from '../../db/requests.ts'
import { areSame, CONFIGURATION_CHANGED, ownOf } from '../../domain/integration/trusted-configuration.ts'
import { operation } from '../perform/operation.ts'
import { lazyStrictObject } from '../perform/schemas.ts'
import { guardedOf } from './configuration.ts'
import { doAgentsRun, mayBeOfRun } from './running-agents.ts'

// Changes of the configuration, as they are found: recorded for a person, or adopted.

const found = lazyStrictObject(() => ({ hash: z.string(), entries: z.record(z.string(), z.string()) }))

export const recordGuard = operation({
  name: 'record_guard',
  summary:
    'Record the configuration of the repository and of aiswarm: the first one is trusted, of later ones the differences are recorded',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      /** The trusted state when `lines` were computed. */
      before: z.string().nullable().optional(),
      found: found(),
      lines: z.array(z.string()),
      /** The host of the clone; without it the main checkout. */
      host: z.string().optional(),
    }),
  output: () =>
    z.object({
      recorded: z.enum(['first', 'changed', 'restored', 'known', 'void']),
      host: z.string().nullable(),
    }),
  run: async ({ db, now }, { before, found, lines, host: named }) => {
    const guarded = await guardedOf(db, named)
    const { host } = guarded
    const row = await guarded.select()
    if (before !== undefined && before !== (row?.hash ?? null)) return { recorded: 'void' as const, host }
    const entries = JSON.stringify(found.entries)
    if (!row) {
      await guarded.trust({ hash: found.hash, entries, accepted_by: 'aiswarm', accepted_at: now })
      return { recorded: 'first' as const, host }
    }
    if (found.hash === row.hash) {
      if (row.changed_hash === null) return { recorded: 'known' as const, host }
      await guarded.recordDifference(null)
      await guarded.hold(null)
      return { recorded: 'restored' as const, host }
    }
    if (found.hash === row.changed_hash) return { recorded: 'known' as const, host }
    await guarded.recordDifference({
      changed_hash: found.hash,
      changed_entries: entries,
      changes: JSON.stringify(lines),
      changed_at: row.changed_at ?? now,
    })
    await guarded.hold(CONFIGURATION_CHANGED)
    return { recorded: 'changed' as const, host }
  },
  subject: ({ recorded, host }, { lines }) =>
    recorded === 'known' || recorded === 'void'
      ? null
      : { details: { recorded, lines, ...(host === null ? {} : { host }) } },
})

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

/** Without an event: the changed configuration has one. */
export const recordRule = operation({
  name: 'record_rule',
  summary: 'Record that the rule of an answer is in the configuration',
  access: 'beat',
  authority: 'system',
  input: () => z.strictObject({ requestId: z.int().min(1) }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async ({ db }, { requestId }) => ({ recorded: await deleteWantedRule(db, requestId) }),
})
