import { z } from 'zod'
import { insertRevert, selectLastLanded, selectRevertsOf } from '../../db/integrations.ts'
import { insertWorktree, selectWorktree } from '../../db/worktrees.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from '../perform/core.ts'
import { findWorktree } from '../perform/find.ts'
import { worktreeName } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { placeWorktree, worktreePath } from '../hosts/placement.ts'
import { viewWorktrees, worktreeView } from '../views/worktrees.ts'

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
