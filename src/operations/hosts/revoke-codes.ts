import { z } from 'zod'
import { revokeJoins } from '../../db/hosts.ts'
import { operation } from '../perform/operation.ts'

export const revokeCodes = operation({
  name: 'revoke_codes',
  summary: 'Revoke the codes to join that no host has used',
  access: 'write',
  authority: 'person',
  input: () => z.strictObject({}),
  output: () => z.object({ revoked: z.int() }),
  run: async ({ db, now }) => ({ revoked: await revokeJoins(db, now) }),
  subject: ({ revoked }) => ({ details: { revoked } }),
})
