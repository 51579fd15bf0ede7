import { z } from 'zod'
import { endVerification as end } from '../../db/integrations.ts'
import { operation } from '../perform/operation.ts'

export const endVerification = operation({
  name: 'end_verification',
  summary: 'Record the end of a verification command',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ id: z.int(), exitCode: z.int().nullable() }),
  output: () => z.object({ endedAt: z.string() }),
  run: async ({ db, now }, { id, exitCode }) => {
    await end(db, id, { ended_at: now, exit_code: exitCode })
    return { endedAt: now }
  },
  subject: (_, { id, exitCode }) => ({ details: { id, exitCode } }),
})
