import type { Connection } from '../../../operations/door/connection.ts'
import { perform } from '../../../operations/door/perform.ts'
import { type Board, readBoard } from '../../../operations/screens/read-board.ts'
import { readHeld } from '../../../operations/loops/read-held.ts'
import { join, type ObservedWorktree } from '../worktrees/observed-worktree.ts'

/** The board without its tasks, for one screen. `attention` contains the inbox items. */
export interface Status extends Pick<Board, 'session' | 'counts' | 'agents' | 'attention'> {
  /** Where the board is stored. */
  readonly store: { readonly engine: 'SQLite' | 'PostgreSQL'; readonly path: string }
  readonly worktrees: readonly ObservedWorktree[]
  /** Tasks that cannot start now. */
  readonly held: readonly { readonly taskId: number; readonly why: string }[]
}

export const readStatus = async ({ core, actor, outside }: Connection): Promise<Status> => {
  const { session, counts, agents, worktrees, attention } = await perform(
    core,
    readBoard,
    { before: 0, after: 1 },
    actor,
  )
  const held = await perform(core, readHeld, {}, actor)
  return {
    store: { engine: core.store.engine, path: core.store.path },
    session,
    counts,
    agents,
    worktrees: join(worktrees, await outside.observeWorktrees(), await outside.absentWorktrees()),
    attention,
    held,
  }
}
