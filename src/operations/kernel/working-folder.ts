import { selectWorktree } from '../../db/worktrees.ts'
import type { Context } from './core.ts'

/** The folder that work in a worktree, or without one, is confined to. */
export const workingFolder = async ({ db, root }: Pick<Context, 'db' | 'root'>, worktree: string | null): Promise<string> =>
  worktree === null ? root : ((await selectWorktree(db, worktree))?.path ?? root)
