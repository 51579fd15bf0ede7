import { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import { operation } from '../perform/operation.ts'
import { guardedOf } from '../hosts/steps/guarded.ts'

export const trustConfiguration = operation({
  name: 'trust_configuration',
  summary: 'Accept the changed configuration, hooks and attributes of the repository: exactly what was shown',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () => z.strictObject({ hash: z.string(), host: z.string().optional() }),
  output: () => z.object({ lines: z.array(z.string()), host: z.string().nullable() }),
  run: async ({ db, now, actor }, { hash, host }) => {
    const guarded = await guardedOf(db, host)
    const row = await guarded.select()
    if (!row || row.changed_hash === null)
      throw new Refusal('invalid_state', 'The configuration has no unaccepted changes.')
    if (row.changed_hash !== hash)
      throw new Refusal('approval_void', 'The configuration has changed again since it was shown. Review it again.')
    await guarded.trust({ hash, entries: row.changed_entries!, accepted_by: actor.id, accepted_at: now })
    await guarded.hold(null)
    return { lines: JSON.parse(row.changes!) as string[], host: guarded.host }
  },
  subject: ({ lines, host }) => ({ details: { lines, ...(host === null ? {} : { host }) } }),
})
