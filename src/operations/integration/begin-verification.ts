import { z } from 'zod'
import { insertVerification } from '../../db/integrations.ts'
import { operation } from '../perform/operation.ts'

export const beginVerification = operation({
  name: 'begin_verification',
  summary: 'Record the start of a verification command on a commit',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      commitOid: z.string(),
      integrations: z.array(z.int()).min(1),
      command: z.string(),
      log: z.string(),
    }),
  output: () => z.object({ id: z.int() }),
  run: async ({ db, now }, { commitOid, integrations, command, log }) => ({
    id: await insertVerification(db, {
      commit_oid: commitOid,
      integrations: JSON.stringify(integrations),
      command,
      log,
      started_at: now,
    }),
  }),
  subject: ({ id }, { commitOid, integrations }) => ({ details: { id, commitOid, integrations } }),
})
