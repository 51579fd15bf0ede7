import { z } from 'zod'
import { CONFIGURATION_CHANGED } from '../../domain/integration/trusted-configuration.ts'
import { operation } from '../perform/operation.ts'
import { guardedOf } from '../hosts/steps/guarded.ts'
import { lazyStrictObject } from '../perform/schemas.ts'

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
