import { z } from 'zod'
import { saveWatchedCheckout, selectWatchedCheckout } from '../../db/repository.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { operation } from '../perform/operation.ts'
import { fileChange, viewCheckout } from './watched.ts'

export const acceptCheckout = operation({
  name: 'accept_checkout',
  summary: 'Accept the changes in the main checkout: exactly those that were shown',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () => z.strictObject({ changes: z.array(fileChange()).describe('As they were shown') }),
  output: () => z.object({ paths: z.array(z.string()) }),
  run: async ({ db }, { changes }) => {
    const row = await selectWatchedCheckout(db)
    const pending = viewCheckout(row)
    if (!row || pending === null) throw new Refusal('invalid_state', 'The main checkout has no unaccepted changes.')
    if (JSON.stringify(pending.changes) !== JSON.stringify(changes))
      throw new Refusal('approval_void', 'The main checkout has changed again since it was shown. Review it again.')
    const { id: _, ...rest } = row
    await saveWatchedCheckout(db, { ...rest, changes: null, agents: null, changed_at: null })
    return { paths: changes.map(({ path }) => path) }
  },
  subject: (output) => ({ details: output }),
})
