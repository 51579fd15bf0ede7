import { z } from 'zod'
import { changeIntegration, selectIntegration } from '../../db/integrations.ts'
import { advanceWatchedTarget } from '../../db/repository.ts'
import { changeWorktree } from '../../db/worktrees.ts'
import { text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { integrationView } from '../views/worktrees.ts'
import { stopAgentsOf } from '../runs/agents.ts'
import { asked } from '../integration/request-integration.ts'
import { once } from '../../domain/words/once.ts'

/**
 * The result of moving the target. `held`: the target refused, a person must act; `stale`: a commit has moved, so the
 * approval is void; `failed`: on top of earlier merges it fails the verification.
 */
const outcome = once(() =>
  z.discriminatedUnion('kind', [
    /** `isBehind`: on the remote; the branch of the main checkout follows later. */
    z.object({ kind: z.literal('landed'), isBehind: z.boolean().optional() }),
    z.object({ kind: z.literal('held'), problem: text(8000) }),
    z.object({ kind: z.literal('stale'), problem: text(8000) }),
    z.object({ kind: z.literal('failed'), problem: text(8000), verification: integrationView().shape.verification }),
  ]),
)

export const recordMove = operation({
  name: 'record_move',
  summary: 'Record that the target has moved to the approved commit, or why it has not',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ id: z.int(), outcome: outcome() }),
  output: () => z.object({ recorded: z.boolean(), worktree: z.string() }),
  run: async (context, { id, outcome }) => {
    const { db, now } = context
    const row = (await selectIntegration(db, id))!
    const { worktree } = row
    if (row.status !== 'moving' && row.status !== 'approved') return { recorded: false, worktree }
    if (outcome.kind === 'held') {
      return {
        recorded: await changeIntegration(db, id, row.status, {
          status: 'ready',
          approved_by: null,
          approved_at: null,
          approval: 'human',
          problem: outcome.problem,
        }),
        worktree,
      }
    }
    if (outcome.kind === 'stale') {
      return {
        recorded: await changeIntegration(db, id, row.status, {
          ...asked,
          status: 'requested',
          problem: outcome.problem,
        }),
        worktree,
      }
    }
    if (outcome.kind === 'failed') {
      const verification = JSON.stringify(outcome.verification)
      return {
        recorded: await changeIntegration(db, id, row.status, {
          status: 'unverified',
          approved_by: null,
          approved_at: null,
          verification,
          problem: outcome.problem,
        }),
        worktree,
      }
    }
    const landed = await changeIntegration(db, id, 'moving', { status: 'integrated', ended_at: now, problem: null })
    if (!landed) return { recorded: false, worktree }
    if (outcome.isBehind !== true) await advanceWatchedTarget(db, row.target, row.target_oid!, row.merge_oid!)
    // The target has moved, whatever has become of the worktree since: one that is ending has its own end.
    const ends = await changeWorktree(
      db,
      worktree,
      { folder: 'ready' },
      { status: 'integrated', folder: 'leaving', integration_target: row.target, ended_at: now },
    )
    if (ends) await stopAgentsOf(context, worktree, `worktree ${worktree} was integrated`)
    return { recorded: true, worktree }
  },
  subject: ({ recorded, worktree }, { outcome }) => (recorded ? { worktree, details: outcome } : null),
})
