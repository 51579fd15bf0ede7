import { z } from 'zod'
import { selectFolderInode } from '../../db/worktrees.ts'
import { findWorktree } from '../perform/find.ts'
import { worktreeName } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'

export const readWorktreeFolder = operation({
  name: 'read_worktree_folder',
  summary: 'Read where the folder of a worktree is, and what identifies it',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ worktreeName }),
  output: () =>
    z.object({
      path: z.string(),
      /** Null for a folder that an older aiswarm has built. */
      inode: z.string().nullable(),
    }),
  run: async ({ db }, input) => ({
    path: (await findWorktree(db, input.worktreeName)).path,
    inode: (await selectFolderInode(db, input.worktreeName)) ?? null,
  }),
})
