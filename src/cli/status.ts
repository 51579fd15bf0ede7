import type { Connection } from '../operations/kernel/outside.ts'
import { perform } from '../operations/kernel/perform.ts'
import { type Board, readBoard } from '../operations/read-board.ts'
import { join, type ObservedWorktree } from './observed-worktree.ts'

/** The board without its tasks: what fits on one screen. `attention` is what waits for a person. */
export interface Status extends Pick<Board, 'session' | 'counts' | 'agents' | 'attention'> {
  readonly worktrees: readonly ObservedWorktree[]
}

export const readStatus = async ({ core, actor, outside }: Connection): Promise<Status> => {
  const { session, counts, agents, worktrees, attention } = await perform(core, readBoard, { before: 0, after: 1 }, actor)
  return { session, counts, agents, worktrees: join(worktrees, await outside.observeWorktrees()), attention }
}
