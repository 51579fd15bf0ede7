import { z } from 'zod'
import { holdRequested } from '../../db/integrations.ts'
import { recordDifference, selectGuard, trust } from '../../db/repository-guard.ts'
import { CONFIGURATION_CHANGED } from '../../domain/integration/integration.ts'
import { operation } from '../door/operation.ts'

const found = z.strictObject({ hash: z.string(), entries: z.record(z.string(), z.string()) })

export const recordGuard = operation({
  name: 'record_guard',
  summary:
    'Record the configuration of the repository and of aiswarm: the first one is trusted, of later ones the differences are recorded',
  access: 'write',
  authority: 'system',
  input: z.strictObject({
    /** The trusted state when `lines` were computed. */
    before: z.string().nullable().optional(),
    found,
    lines: z.array(z.string()),
  }),
  output: z.object({ recorded: z.enum(['first', 'changed', 'restored', 'known', 'void']) }),
  run: async ({ db, now }, { before, found, lines }) => {
    const row = await selectGuard(db)
    if (before !== undefined && before !== (row?.hash ?? null)) return { recorded: 'void' as const }
    const entries = JSON.stringify(found.entries)
    if (!row) {
      await trust(db, { hash: found.hash, entries, accepted_by: 'aiswarm', accepted_at: now })
      return { recorded: 'first' as const }
    }
    if (found.hash === row.hash) {
      if (row.changed_hash === null) return { recorded: 'known' as const }
      await recordDifference(db, null)
      await holdRequested(db, null)
      return { recorded: 'restored' as const }
    }
    if (found.hash === row.changed_hash) return { recorded: 'known' as const }
    await recordDifference(db, {
      changed_hash: found.hash,
      changed_entries: entries,
      changes: JSON.stringify(lines),
      changed_at: row.changed_at ?? now,
    })
    await holdRequested(db, CONFIGURATION_CHANGED)
    return { recorded: 'changed' as const }
  },
  subject: ({ recorded }, { lines }) =>
    recorded === 'known' || recorded === 'void' ? null : { details: { recorded, lines } },
})
