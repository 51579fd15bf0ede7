import { z } from 'zod'
import { changeWorktree, selectWorktree } from '../../db/worktrees.ts'
import { operation } from '../door/operation.ts'

export const recordSnapshot = operation({
  name: 'record_snapshot',
  summary: 'Record the snapshot of the uncommitted work of a worktree that is on the remote, or that there is none',
  access: 'beat',
  authority: 'system',
  input: z.strictObject({
    worktree: z.string(),
    oid: z
      .string()
      .regex(/^[0-9a-f]{40,64}$/)
      .nullable(),
  }),
  output: z.object({ recorded: z.boolean() }),
  run: async ({ db, now }, { worktree, oid }) => {
    const row = await selectWorktree(db, worktree)
    const change = { wip_oid: oid, wip_at: oid === null ? null : now }
    return { recorded: row !== undefined && (await changeWorktree(db, worktree, { folder: row.folder }, change)) }
  },
})
