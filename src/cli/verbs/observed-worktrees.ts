import type { WorktreeObservation, WorktreeSize } from '../../contracts/observations.ts'
import type { Outside } from '../../contracts/outside.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'

/** A worktree's row with git's state of its folder now; null if the folder is missing. */
export type ObservedWorktree = WorktreeView & {
  readonly ahead: number | null
  readonly behind: number | null
  readonly dirty: boolean | null
  readonly dirtyFiles: number | null
  readonly added: number | null
  readonly removed: number | null
  /** The reason why its folder, or its uncommitted changes, cannot be read. */
  readonly unread: string | null
}

/** With the disk space of its folder; a lower bound if `sizeComplete` is false. */
export type MeasuredWorktree = ObservedWorktree & {
  readonly sizeBytes: number | null
  readonly sizeComplete: boolean | null
}

export const observedWorktree = async (
  { core, actor, outside }: Connection,
  worktreeName: string,
): Promise<ObservedWorktree> =>
  join(
    await perform(core, getWorktreeStatus, { worktreeName }, actor),
    await outside.observeWorktrees([worktreeName]),
    await outside.absentWorktrees([worktreeName]),
  )[0]!

/** All worktrees, or the named one. Counting their files takes long. */
export const measuredWorktrees = async (
  { core, actor, outside }: Connection,
  worktreeName?: string,
): Promise<readonly MeasuredWorktree[]> => {
  const names = worktreeName === undefined ? undefined : [worktreeName]
  const rows = await perform(core, getWorktreeStatus, worktreeName === undefined ? {} : { worktreeName }, actor)
  return measure(
    join(rows, await outside.observeWorktrees(names), await outside.absentWorktrees(names)),
    await outside.measureWorktrees(names),
  )
}

export const join = (
  worktrees: readonly WorktreeView[],
  observations: readonly WorktreeObservation[],
  absent: Awaited<ReturnType<Outside['absentWorktrees']>>,
): ObservedWorktree[] => {
  const byName = new Map(observations.map((observation) => [observation.name, observation]))
  const reasons = new Map(absent.map(({ name, why }) => [name, why]))
  return worktrees.map((worktree) => {
    const seen = byName.get(worktree.name)
    return { ...worktree, ...(seen ? seenAs(seen) : { ...unseen, unread: reasons.get(worktree.name) ?? null }) }
  })
}

const seenAs = ({ ahead, behind, dirty, added, removed, problem }: WorktreeObservation) => ({
  ahead,
  behind,
  dirty: dirty === null ? null : dirty > 0,
  dirtyFiles: dirty,
  added,
  removed,
  unread: problem ?? null,
})

const measure = (worktrees: readonly ObservedWorktree[], sizes: readonly WorktreeSize[]): MeasuredWorktree[] => {
  const byName = new Map(sizes.map((size) => [size.name, size]))
  return worktrees.map((worktree) => {
    const size = byName.get(worktree.name)
    return { ...worktree, sizeBytes: size?.bytes ?? null, sizeComplete: size?.complete ?? null }
  })
}

const unseen = { ahead: null, behind: null, dirty: null, dirtyFiles: null, added: null, removed: null } as const
