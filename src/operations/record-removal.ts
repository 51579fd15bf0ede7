import { z } from 'zod'
import { changeWorktree } from '../db/worktrees.ts'
import { operation } from './kernel/operation.ts'

export const recordRemoval = operation({
  name: 'record_removal',
  summary: 'Record where the content of an ended worktree was archived and its folder went',
  access: 'write',
  authority: 'system',
  input: z.strictObject({ name: z.string(), archiveRef: z.string().nullable(), trashPath: z.string().nullable() }),
  output: z.object({ recorded: z.boolean() }),
  run: async ({ db }, { name, archiveRef, trashPath }) => ({
    recorded: await changeWorktree(db, name, { folder: 'leaving' }, { folder: 'gone', archive_ref: archiveRef, trash_path: trashPath }),
  }),
  subject: ({ recorded }, { name, archiveRef, trashPath }) => (recorded ? { worktree: name, details: { archiveRef, trashPath } } : null),
})
