import { getWorktreeStatus } from '../operations/get-worktree-status.ts'
import type { Connection, WorktreeObservation } from '../operations/kernel/outside.ts'
import { perform } from '../operations/kernel/perform.ts'
import type { WorktreeView } from '../operations/kernel/views.ts'

/** A worktree's row and what git says of its folder now; null where the folder is gone. */
export type ObservedWorktree = WorktreeView & {
  readonly ahead: number | null
  readonly behind: number | null
  readonly dirty: boolean | null
  readonly dirtyFiles: number | null
  readonly added: number | null
  readonly removed: number | null
}

export const observedWorktrees = async ({ core, actor, outside }: Connection): Promise<readonly ObservedWorktree[]> =>
  join(await perform(core, getWorktreeStatus, {}, actor), await outside.observeWorktrees())

export const observedWorktree = async ({ core, actor, outside }: Connection, worktreeName: string): Promise<ObservedWorktree> =>
  join(await perform(core, getWorktreeStatus, { worktreeName }, actor), await outside.observeWorktrees([worktreeName]))[0]!

export const join = (worktrees: readonly WorktreeView[], observations: readonly WorktreeObservation[]): ObservedWorktree[] => {
  const byName = new Map(observations.map((observation) => [observation.name, observation]))
  return worktrees.map((worktree) => {
    const seen = byName.get(worktree.name)
    return { ...worktree, ...(seen ? { ahead: seen.ahead, behind: seen.behind, dirty: seen.dirty > 0, dirtyFiles: seen.dirty, added: seen.added, removed: seen.removed } : unseen) }
  })
}

const unseen = { ahead: null, behind: null, dirty: null, dirtyFiles: null, added: null, removed: null } as const
