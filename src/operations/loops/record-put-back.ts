import { z } from 'zod'
import { changeWatchedTarget, notMoved, selectWatchedTarget } from '../../db/repository.ts'
import { text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'

export const recordPutBack = operation({
  name: 'record_put_back',
  summary: 'Record that a target branch was put back, and where the commits of the move are kept, or why it was not',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      target: z.string(),
      outcome: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('done'), archiveRef: z.string().nullable() }),
        z.object({ kind: z.literal('refused'), problem: text(8000) }),
      ]),
    }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async ({ db }, { target, outcome }) => {
    const row = await selectWatchedTarget(db, target)
    if (!row || row.put_back_at === null) return { recorded: false }
    await changeWatchedTarget(
      db,
      target,
      outcome.kind === 'done'
        ? { seen_oid: row.known_oid, ...notMoved }
        : { put_back_at: null, problem: outcome.problem },
    )
    return { recorded: true }
  },
  subject: ({ recorded }, { target, outcome }) => (recorded ? { details: { target, ...outcome } } : null),
})
