import { z } from 'zod'
import { deleteWantedRule } from '../../db/requests.ts'
import { operation } from '../perform/operation.ts'

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
