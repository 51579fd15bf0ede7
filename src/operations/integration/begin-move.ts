import { z } from 'zod'
import { changeIntegration, selectIntegration } from '../../db/integrations.ts'
import { whyUnproven } from './approval-proof.ts'
import { must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'

export const beginMove = operation({
  name: 'begin_move',
  summary:
    'Record that the target is about to move, before any ref moves; refuses a move that no sealed event approves',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ id: z.int() }),
  output: () => z.object({ begun: z.boolean(), worktree: z.string(), unproven: z.string().nullable() }),
  run: async ({ db }, { id }) => {
    const row = (await selectIntegration(db, id))!
    const { worktree } = row
    if (row.status !== 'approved' && row.status !== 'moving') return { begun: false, worktree, unproven: null }
    const unproven = (await whyUnproven(db, row)) ?? null
    if (unproven !== null) {
      must(
        await changeIntegration(db, id, row.status, {
          status: 'ready',
          approved_by: null,
          approved_at: null,
          approval: 'human',
          problem: unproven,
        }),
        `The integration of ${worktree}`,
      )
      return { begun: false, worktree, unproven }
    }
    return {
      begun: row.status === 'moving' || (await changeIntegration(db, id, 'approved', { status: 'moving' })),
      worktree,
      unproven,
    }
  },
  subject: ({ begun, worktree, unproven }) => (begun || unproven !== null ? { worktree, details: { unproven } } : null),
})
