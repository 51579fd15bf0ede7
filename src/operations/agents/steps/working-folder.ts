import { selectWorktree } from '../../../db/worktrees.ts'
import type { Context } from '../../perform/core.ts'

/** The folder to which work is confined, in a worktree or without one. */
export const workingFolder = async (
  { db, root }: Pick<Context, 'db' | 'root'>,
  worktree: string | null,
): Promise<string> => (worktree === null ? root : ((await selectWorktree(db, worktree))?.path ?? root))
