import { z } from 'zod'
import { changeWorktree, selectWorktree } from '../../db/worktrees.ts'
import { operation } from '../door/operation.ts'

export const recordPushed = operation({
  name: 'record_pushed',
  summary: 'Record that the branch of a worktree is on the remote as on its host, or that it must be pushed again',
  access: 'beat',
  authority: 'system',
  input: z.strictObject({
    worktree: z.string(),
    /** Null: push it again. */
    oid: z
      .string()
      .regex(/^[0-9a-f]{40,64}$/)
      .nullable(),
  }),
  output: z.object({ recorded: z.boolean() }),
  run: async ({ db, now }, { worktree, oid }) => {
    const row = await selectWorktree(db, worktree)
    const change = { pushed_oid: oid, pushed_at: oid === null ? null : now }
    return { recorded: row !== undefined && (await changeWorktree(db, worktree, { folder: row.folder }, change)) }
  },
})
