import { z } from 'zod'
import { changeIntegration, selectIntegration } from '../../db/integrations.ts'
import { integrationView } from '../views/worktrees.ts'
import { operation } from '../perform/operation.ts'
import { isUnfinished } from '../tasks/unfinished.ts'

export const recordVerification = operation({
  name: 'record_verification',
  summary: 'Record the result of verifying a merge commit with the command of the target',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({ id: z.int(), mergeOid: z.string(), verification: integrationView().shape.verification }),
  output: () =>
    z.object({
      recorded: z.boolean(),
      worktree: z.string(),
      targetOid: z.string().nullable(),
      branchOid: z.string().nullable(),
      approved: z.boolean(),
    }),
  run: async ({ db, now }, { id, mergeOid, verification }) => {
    const row = (await selectIntegration(db, id))!
    const of = { worktree: row.worktree, targetOid: row.target_oid, branchOid: row.branch_oid }
    if (row.merge_oid !== mergeOid) return { ...of, recorded: false, approved: false }
    const passed = verification === null || verification.exitCode === 0
    // A task that was added meanwhile, or may come back, would lose its worktree.
    const auto = passed && row.approval === 'auto' && !(await isUnfinished(db, row.worktree))
    const recorded = await changeIntegration(db, id, 'verifying', {
      verification: verification === null ? null : JSON.stringify(verification),
      // If the target has `approval: auto`, a passed verification is an approval.
      ...(auto
        ? { status: 'approved' as const, approved_by: 'aiswarm', approved_at: now }
        : { status: passed ? ('ready' as const) : ('unverified' as const) }),
    })
    return { ...of, recorded, approved: auto }
  },
  subject: ({ recorded, worktree, targetOid, branchOid, approved }, { id, mergeOid, verification }) =>
    recorded
      ? {
          worktree,
          details: {
            exitCode: verification?.exitCode ?? null,
            integration: id,
            targetOid,
            branchOid,
            mergeOid,
            verificationId: verification?.id ?? null,
            approved,
          },
        }
      : null,
})
