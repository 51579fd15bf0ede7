import { z } from 'zod'
import { changeWatchedTarget, notMoved } from '../../db/repository.ts'
import { findMove } from './find-move.ts'
import { operation } from '../perform/operation.ts'

export const acceptTarget = operation({
  name: 'accept_target',
  summary: 'Accept a move of a target branch that aiswarm did not make: exactly to the commit that was shown',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () =>
    z.strictObject({
      target: z.string().describe('Branch'),
      to: z.string().nullable().describe('Commit that was shown; null if the branch was deleted'),
    }),
  output: () => z.object({ target: z.string(), to: z.string().nullable() }),
  run: async (context, { target, to }) => {
    const row = await findMove(context, target, to)
    await changeWatchedTarget(context.db, target, { known_oid: row.seen_oid, ...notMoved })
    return { target, to }
  },
  subject: (output) => ({ details: output }),
})
