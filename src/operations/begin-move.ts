import { z } from 'zod'
import { changeIntegration, selectIntegration } from '../db/integrations.ts'
import { operation } from './kernel/operation.ts'

export const beginMove = operation({
  name: 'begin_move',
  summary: 'Journal that the target is about to move, before any ref does',
  access: 'write',
  authority: 'system',
  input: z.strictObject({ id: z.int() }),
  output: z.object({ begun: z.boolean(), worktree: z.string() }),
  run: async ({ db }, { id }) => {
    const row = (await selectIntegration(db, id))!
    return { begun: row.status === 'moving' || (await changeIntegration(db, id, 'approved', { status: 'moving' })), worktree: row.worktree }
  },
  subject: ({ begun, worktree }) => (begun ? { worktree } : null),
})
