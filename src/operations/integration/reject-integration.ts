import { z } from 'zod'
import { changeIntegration, selectLatestIntegration } from '../../db/integrations.ts'
import { integrationMachine } from '../../domain/integration/integration.ts'
import { step } from '../../domain/rules/state-machine.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { findWorktree, must } from '../perform/find.ts'
import { text, worktreeName } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { viewWorktrees, worktreeView } from '../views/worktrees.ts'

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
