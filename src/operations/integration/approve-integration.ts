import { z } from 'zod'
import { changeIntegration, selectLatestIntegration } from '../../db/integrations.ts'
import { isGuardChanged } from '../../db/repository.ts'
import { type Candidate, whyNotApprove } from '../../domain/integration/integration.ts'
import { CONFIGURATION_CHANGED } from '../../domain/integration/trusted-configuration.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Approved } from './approval-proof.ts'
import { findWorktree, must } from '../perform/find.ts'
import { worktreeName } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { refuseUnfinished } from '../tasks/unfinished.ts'
import {
  type IntegrationView,
  viewIntegration,
  viewWorktrees,
  worktreeView,
  type WorktreeView,
} from '../views/worktrees.ts'

export const approveIntegration = operation({
  name: 'approve_integration',
  summary: 'Approve a verified merge: exactly the commits and the verification that were shown',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () =>
    z.strictObject({
      worktreeName,
      targetOid: z.string(),
      branchOid: z.string(),
      mergeOid: z.string(),
      verificationId: z.int().nullable().default(null),
    }),
  output: worktreeView,
  run: async (context, input) => {
    const { db, now, actor } = context
    const worktree = await findWorktree(db, input.worktreeName)
    const row = await selectLatestIntegration(db, worktree.name)
    const why = whyNotApprove(worktree.name, row?.status)
    if (why !== undefined) throw new Refusal(row?.status === 'conflicted' ? 'conflicted' : 'invalid_state', why)
    if (await isGuardChanged(db)) throw new Refusal('configuration_changed', CONFIGURATION_CHANGED)
    const verified = viewIntegration(row!).verification?.id ?? null
    if (
      verified !== input.verificationId ||
      row!.target_oid !== input.targetOid ||
      row!.branch_oid !== input.branchOid ||
      row!.merge_oid !== input.mergeOid
    ) {
      throw new Refusal(
        'approval_void',
        `The merge of ${worktree.name} has changed since it was shown. Review it again.`,
      )
    }
    await refuseUnfinished(db, worktree.name)
    must(
      await changeIntegration(db, row!.id, 'ready', {
        status: 'approved',
        approved_by: actor.id,
        approved_at: now,
        problem: null,
      }),
      `The integration of ${worktree.name}`,
    )
    return (await viewWorktrees(db, [worktree]))[0]!
  },
  subject: (worktree, input) => ({ worktree: worktree.name, details: approvedAs(worktree, input) }),
  wish: (worktree) => ({ kind: 'land_integration', worktree: worktree.name }),
  reread: async ({ db }, approved) => {
    const worktree = (await viewWorktrees(db, [await findWorktree(db, approved.name)]))[0]!
    const moved = movedSince(approved.integration!, worktree)
    if (moved !== undefined)
      throw new Refusal(
        'approval_void',
        `${moved} after the merge of ${worktree.name} was shown, so the approval is void and nothing was merged. Review it again.`,
      )
    return worktree
  },
})

/** The object of the approval, which the merge checks against the event. */
const approvedAs = (
  { integration }: WorktreeView,
  { targetOid, branchOid, mergeOid, verificationId }: Candidate,
): Approved => ({
  integration: integration!.id,
  targetOid,
  branchOid,
  mergeOid,
  verificationId,
})

/** The change that has voided an approval; undefined if it is valid, was used, or was revoked for another reason. */
const movedSince = (approved: IntegrationView, { branchName, integration }: WorktreeView): string | undefined => {
  if (integration?.id !== approved.id || ['approved', 'moving', 'integrated'].includes(integration.status))
    return undefined
  if (integration.targetOid === approved.targetOid && integration.branchOid === approved.branchOid) return undefined
  if (integration.targetOid === null) return `${approved.target} or ${branchName} has moved`
  if (integration.branchOid === approved.branchOid) return `${approved.target} has moved`
  return integration.targetOid === approved.targetOid
    ? `${branchName} has moved`
    : `${approved.target} and ${branchName} have moved`
}
