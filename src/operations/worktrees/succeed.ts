import { selectAgents } from '../../db/agents.ts'
import type { WorktreeRow } from '../../db/schema/worktrees.ts'
import { changeWorktree, insertWorktree, selectWorktrees } from '../../db/worktrees.ts'
import { endStopped } from '../runs/agents.ts'
import type { Context } from '../perform/core.ts'
import { must } from '../perform/find.ts'
import { type Place, worktreePath } from '../hosts/placement.ts'

/**
 * Adds the worktree that continues another one on a host, and ends the agents that waited in the other one for this reason.
 * Returns its name.
 */
export const succeed = async (
  context: Context,
  worktree: WorktreeRow,
  { id, root }: Pick<Place, 'id' | 'root'>,
  why: string,
): Promise<string> => {
  const { db, now, settings } = context
  const { name, branch } = await freeNames(context, worktree)
  await insertWorktree(db, {
    name,
    branch_name: branch,
    source_branch: worktree.source_branch,
    created_by: worktree.created_by,
    created_at: now,
    status: 'active',
    path: worktreePath({ root: root ?? context.root, settings }, name),
    folder: 'building',
    host_id: id,
    continues: worktree.name,
    labels: worktree.labels,
  })
  must(
    await changeWorktree(db, worktree.name, { folder: worktree.folder }, { successor: name, move_to: null }),
    `Worktree ${worktree.name}`,
  )
  for (const agent of await selectAgents(db, { live: true, worktree: worktree.name }))
    if (agent.process === 'waiting') await endStopped(context, agent, why)
  return name
}

/** The names of the worktree and its branch with a number that neither has had. */
const freeNames = async (
  { db }: Context,
  { name, branch_name: branch }: WorktreeRow,
): Promise<{ readonly name: string; readonly branch: string }> => {
  const all = await selectWorktrees(db)
  for (let n = 2; ; n++) {
    const next = { name: `${name.slice(0, 46)}-${n}`, branch: `${branch}-${n}` }
    if (!all.some((one) => one.name === next.name || one.branch_name === next.branch)) return next
  }
}
