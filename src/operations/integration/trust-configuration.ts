import { z } from 'zod'
import { holdRequested } from '../../db/integrations.ts'
import { selectGuard, trust } from '../../db/repository-guard.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { operation } from '../door/operation.ts'

export const trustConfiguration = operation({
  name: 'trust_configuration',
  summary: 'Accept the changed configuration, hooks and attributes of the repository: exactly what was shown',
  access: 'write',
  authority: 'person',
  grave: true,
  input: z.strictObject({ hash: z.string() }),
  output: z.object({ lines: z.array(z.string()) }),
  run: async ({ db, now, actor }, { hash }) => {
    const row = await selectGuard(db)
    if (!row || row.changed_hash === null)
      throw new Refusal('invalid_state', 'The configuration has no unaccepted changes.')
    if (row.changed_hash !== hash)
      throw new Refusal('approval_void', 'The configuration has changed again since it was shown. Review it again.')
    await trust(db, { hash, entries: row.changed_entries!, accepted_by: actor.id, accepted_at: now })
    await holdRequested(db, null)
    return { lines: JSON.parse(row.changes!) as string[] }
  },
  subject: ({ lines }) => ({ details: { lines } }),
})
