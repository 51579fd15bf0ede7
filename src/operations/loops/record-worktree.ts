import { z } from 'zod'
import { rememberFolder } from '../../db/worktree-folders.ts'
import { changeWorktree, deleteUnbuiltWorktree } from '../../db/worktrees.ts'
import { text } from '../door/inputs.ts'
import { operation } from '../door/operation.ts'

export const recordWorktree = operation({
  name: 'record_worktree',
  summary: 'Record that the folder of a worktree was created, or that it could not be, which leaves no row',
  access: 'write',
  authority: 'system',
  input: z.strictObject({
    name: z.string(),
    baseOid: z.string().nullable(),
    error: text(8000).nullable(),
    inode: z.string().optional(),
  }),
  output: z.object({ recorded: z.boolean() }),
  run: async ({ db }, { name, baseOid, error, inode }) => {
    if (error !== null) return { recorded: await deleteUnbuiltWorktree(db, name) }
    const recorded = await changeWorktree(db, name, { folder: 'building' }, { folder: 'ready', base_oid: baseOid })
    if (recorded && inode !== undefined) await rememberFolder(db, name, inode)
    return { recorded }
  },
  subject: ({ recorded }, { name, error }) => (recorded ? { worktree: name, details: { error } } : null),
})
