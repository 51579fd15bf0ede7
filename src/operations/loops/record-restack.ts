import { z } from 'zod'
import { changeIntegration, selectIntegration } from '../../db/integrations.ts'
import { integrationView } from '../views/worktrees.ts'
import { operation } from '../perform/operation.ts'

export const recordRestack = operation({
  name: 'record_restack',
  summary: 'Record that an approved merge was recreated on top of other approved ones, with which it was verified',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      id: z.int(),
      /** The commits that were approved. */
      approved: z.strictObject({ branchOid: z.string(), mergeOid: z.string() }),
      targetOid: z.string(),
      mergeOid: z.string(),
      verification: integrationView().shape.verification,
    }),
  output: () => z.object({ recorded: z.boolean(), worktree: z.string() }),
  run: async ({ db }, { id, approved, targetOid, mergeOid, verification }) => {
    const row = (await selectIntegration(db, id))!
    const same = row.branch_oid === approved.branchOid && row.merge_oid === approved.mergeOid
    const change = {
      target_oid: targetOid,
      merge_oid: mergeOid,
      ...(verification === null ? {} : { verification: JSON.stringify(verification) }),
    }
    return { recorded: same && (await changeIntegration(db, id, 'approved', change)), worktree: row.worktree }
  },
  subject: ({ recorded, worktree }, { id, approved, targetOid, mergeOid, verification }) =>
    recorded
      ? {
          worktree,
          details: {
            integration: id,
            replaces: approved.mergeOid,
            targetOid,
            mergeOid,
            ...(verification === null ? {} : { verificationId: verification.id }),
          },
        }
      : null,
})
