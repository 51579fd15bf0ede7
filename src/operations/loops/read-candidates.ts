import { z } from 'zod'
import { selectReviewable } from '../../db/integrations.ts'
import { operation } from '../door/operation.ts'

export const readCandidates = operation({
  name: 'read_candidates',
  summary: 'List the integrations whose merge may still be read or merged',
  access: 'read',
  authority: 'system',
  input: z.strictObject({}),
  output: z.array(z.int()),
  run: async ({ db }) => [...(await selectReviewable(db))],
})
