import { z } from 'zod'
import { selectWorktrees } from '../../db/worktrees.ts'
import { findWorktree } from '../perform/find.ts'
import { worktreeName } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { viewWorktrees, worktreeView } from '../views/worktrees.ts'

export const getWorktreeStatus = operation({
  name: 'get_worktree_status',
  summary: 'Show one worktree or all of them, with their integrations',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ worktreeName: worktreeName.optional() }),
  output: () => z.array(worktreeView()),
  run: async ({ db }, input) =>
    viewWorktrees(
      db,
      input.worktreeName === undefined ? await selectWorktrees(db) : [await findWorktree(db, input.worktreeName)],
    ),
})
