import type { Connection } from '../operations/kernel/outside.ts'
import { perform } from '../operations/kernel/perform.ts'
import { type Board, readBoard } from '../operations/read-board.ts'
import { readHeld } from '../operations/read-held.ts'
import { join, type ObservedWorktree } from './observed-worktree.ts'

/** The board without its tasks: what fits on one screen. `attention` is what waits for a person. */
export interface Status extends Pick<Board, 'session' | 'counts' | 'agents' | 'attention'> {
  readonly worktrees: readonly ObservedWorktree[]
  /** Tasks that nobody can start as things are. */
  readonly held: readonly { readonly taskId: number; readonly why: string }[]
}

export const readStatus = async ({ core, actor, outside }: Connection): Promise<Status> => {
  const { session, counts, agents, worktrees, attention } = await perform(core, readBoard, { before: 0, after: 1 }, actor)
  const held = await perform(core, readHeld, {}, actor)
  return { session, counts, agents, worktrees: join(worktrees, await outside.observeWorktrees(), await outside.absentWorktrees()), attention, held }
}
