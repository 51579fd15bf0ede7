import { z } from 'zod'
import { selectIntegration, selectReverted } from '../../db/integrations.ts'
import { operation } from '../perform/operation.ts'

export const readRevert = operation({
  name: 'read_revert',
  summary: 'Read the integration that a worktree was created to undo',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ worktree: z.string() }),
  output: () => z.object({ worktree: z.string(), target: z.string(), mergeOid: z.string() }).nullable(),
  run: async ({ db }, { worktree }) => {
    const id = await selectReverted(db, worktree)
    const row = id === undefined ? undefined : await selectIntegration(db, id)
    return row ? { worktree: row.worktree, target: row.target, mergeOid: row.merge_oid! } : null
  },
})
