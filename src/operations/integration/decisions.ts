import { z } from 'zod'
import {
  changeIntegration,
  insertRevert,
  selectLastLanded,
  selectLatestIntegration,
  selectRevertsOf,
} from '../../db/integrations.ts'
import { isGuardChanged } from '../../db/repository.ts'
import { insertWorktree, selectWorktree } from '../../db/worktrees.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { type Candidate, integrationMachine, whyNotApprove } from '../../domain/integration/integration.ts'
import { CONFIGURATION_CHANGED } from '../../domain/integration/trusted-configuration.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { step } from '../../domain/rules/state-machine.ts'
import { placeWorktree, worktreePath } from '../hosts/placement.ts'
import type { Context } from '../perform/core.ts'
import { findWorktree, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { text, worktreeName } from '../perform/schemas.ts'
import { refuseUnfinished } from '../tasks/unfinished.ts'
import {
  type IntegrationView,
  viewIntegration,
  viewWorktrees,
  worktreeView,
  type WorktreeView,
} from '../views/worktrees.ts'
import type { Approved } from './merge.ts'

// A person's decisions about an integration: approve, reject, undo.

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

export const rejectIntegration = operation({
  name: 'reject_integration',
  summary: 'Reject an integration; the worktree is kept for further work',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () => z.strictObject({ worktreeName, reason: text(2000).min(1, 'a reason is required') }),
  output: worktreeView,
  run: async ({ db, now }, input) => {
    const worktree = await findWorktree(db, input.worktreeName)
    const row = await selectLatestIntegration(db, worktree.name)
    const rejected = row && step(integrationMachine, 'reject', row.status)
    if (!rejected) throw new Refusal('invalid_state', `${worktree.name} has no open integration to reject.`)
    must(
      await changeIntegration(db, row.id, row.status, { status: rejected, problem: input.reason, ended_at: now }),
      `The integration of ${worktree.name}`,
    )
    return (await viewWorktrees(db, [worktree]))[0]!
  },
  subject: (worktree, input) => ({ worktree: worktree.name, details: { reason: input.reason } }),
})

export const undoIntegration = operation({
  name: 'undo_integration',
  summary: 'Undo the last integration or that of a worktree: creates a worktree with its revert for review',
  access: 'write',
  authority: 'person',
  input: () => z.strictObject({ worktreeName: worktreeName.optional() }),
  output: worktreeView,
  run: async (context, input) => {
    const { db, now, actor } = context
    if (input.worktreeName !== undefined) await findWorktree(db, input.worktreeName)
    const landed = await selectLastLanded(db, input.worktreeName)
    if (!landed)
      throw new Refusal(
        'invalid_state',
        input.worktreeName === undefined
          ? 'Nothing was integrated yet; there is nothing to undo.'
          : `${input.worktreeName} is not integrated; there is nothing to undo.`,
      )
    if (landed.merge_oid === landed.target_oid)
      throw new Refusal(
        'invalid_state',
        `The integration of ${landed.worktree} changed nothing in ${landed.target}; there is nothing to undo.`,
      )
    await refuseUndone(context, landed.id, landed.worktree)
    const name = await freeName(context, landed.worktree)
    // A revert is made where the target is.
    const { root } = await placeWorktree(context, { worktree: name, host: LOCAL })
    await insertWorktree(db, {
      name,
      branch_name: `aiswarm/${name}`,
      source_branch: landed.target,
      created_by: actor.id,
      created_at: now,
      status: 'active',
      path: worktreePath({ ...context, root }, name),
      folder: 'building',
      integration_target: landed.target,
    })
    await insertRevert(db, { worktree: name, integration_id: landed.id })
    return (await viewWorktrees(db, [await findWorktree(db, name)]))[0]!
  },
  subject: (worktree) => ({ worktree: worktree.name, details: { branch: worktree.branchName } }),
  wish: (worktree) => ({ kind: 'build_worktree', worktree: worktree.name }),
  reread: async ({ db }, worktree) => (await viewWorktrees(db, [await findWorktree(db, worktree.name)]))[0]!,
})

const refuseUndone = async ({ db }: Context, integrationId: number, undone: string): Promise<void> => {
  for (const name of await selectRevertsOf(db, integrationId)) {
    const worktree = await findWorktree(db, name)
    if (worktree.status === 'active')
      throw new Refusal(
        'invalid_state',
        `Worktree ${name} already undoes the integration of ${undone}. Approve or discard it.`,
      )
    if (worktree.status === 'integrated')
      throw new Refusal('invalid_state', `The integration of ${undone} is already undone by ${name}.`)
  }
}

/** A name is never reused. */
const freeName = async ({ db }: Context, undone: string): Promise<string> => {
  for (let time = 1; ; time++) {
    const name = `undo-${undone.slice(0, 40)}${time === 1 ? '' : `-${time}`}`
    if (!(await selectWorktree(db, name))) return name
  }
}
