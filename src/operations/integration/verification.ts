import { z } from 'zod'
import {
  changeIntegration,
  endVerification as end,
  insertVerification,
  selectIntegration,
} from '../../db/integrations.ts'
import { operation } from '../perform/operation.ts'
import { isUnfinished } from '../tasks/unfinished.ts'
import { integrationView } from '../views/worktrees.ts'

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
