import { z } from 'zod'
import { changeIntegration, insertIntegration, selectLatestIntegration } from '../../db/integrations.ts'
import { changeWorktree } from '../../db/worktrees.ts'
import { isTrusted } from '../../domain/agent/actor.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { integrationMachine } from '../../domain/integration/integration.ts'
import { checkBranchName } from '../../domain/rules/names.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { step } from '../../domain/rules/state-machine.ts'
import { usedRemote } from '../hosts/remote.ts'
import { findActiveWorktree, findWorktree, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { worktreeName } from '../perform/schemas.ts'
import { refuseUnfinished } from '../tasks/unfinished.ts'
import { viewWorktrees, worktreeView } from '../views/worktrees.ts'

export const requestIntegration = operation({
  name: 'integrate_worktree',
  summary: 'Request the integration of a worktree into its target; a person approves it',
  access: 'write',
  authority: 'planner',
  input: () =>
    z.strictObject({
      worktreeName,
      targetBranch: z.string().min(1).optional(),
      requireHumanApproval: z.boolean().optional(),
    }),
  output: worktreeView,
  run: async (context, input) => {
    const { db, now, actor, settings } = context
    const worktree = await findActiveWorktree(db, input.worktreeName)
    if (worktree.folder !== 'ready')
      throw new Refusal('invalid_state', `Worktree ${worktree.name} is still being created. Try again in a moment.`)
    const target = input.targetBranch ?? settings.integration.target
    checkBranchName(target)
    if (target === worktree.branch_name)
      throw new Refusal('invalid_state', `Worktree ${worktree.name} is on ${target} itself. Name another target.`)
    if (worktree.host_id !== LOCAL && (await usedRemote(context)) === null)
      throw new Refusal(
        'invalid_state',
        `Worktree ${worktree.name} is on another host than the target, and the hosts have no git remote to exchange code. Name one with 'aiswarm fleet remote URL'.`,
      )
    await refuseUnfinished(db, worktree.name)
    const open = await selectLatestIntegration(db, worktree.name)
    // The effect lowers 'auto' to 'human' unless the configuration on the target allows it.
    const approval = (input.requireHumanApproval ?? !isTrusted(actor)) ? ('human' as const) : ('auto' as const)
    if (open && open.ended_at === null) {
      if (open.status === 'approved' || open.status === 'moving')
        throw new Refusal('invalid_state', `The integration of ${worktree.name} is already approved and in progress.`)
      must(
        await changeIntegration(db, open.id, open.status, {
          ...asked,
          target,
          approval,
          requested_by: actor.id,
          requested_at: now,
          status: step(integrationMachine, 'refresh', open.status)!,
        }),
        `The integration of ${worktree.name}`,
      )
    } else {
      await insertIntegration(db, {
        worktree: worktree.name,
        target,
        approval,
        requested_by: actor.id,
        requested_at: now,
      })
    }
    must(
      await changeWorktree(db, worktree.name, { folder: 'ready' }, { integration_target: target }),
      `Worktree ${worktree.name}`,
    )
    return (await viewWorktrees(db, [{ ...worktree, integration_target: target }]))[0]!
  },
  subject: (worktree) => ({ worktree: worktree.name, details: { target: worktree.integration?.target } }),
  wish: (worktree) => ({ kind: 'prepare_integration', worktree: worktree.name }),
  reread: async ({ db }, worktree) => (await viewWorktrees(db, [await findWorktree(db, worktree.name)]))[0]!,
})

/** A new request for an integration has no merge yet. */
export const asked = {
  target_oid: null,
  branch_oid: null,
  merge_oid: null,
  conflicts: null,
  verification: null,
  approved_by: null,
  approved_at: null,
  problem: null,
} as const
