import { selectHosts } from '../../db/hosts.ts'
import type { WorktreeRow } from '../../db/schema/worktrees.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import type { Context } from '../perform/core.ts'
import { undoMove, unbuiltSuccessor } from './give-back.ts'

/** A move that cannot end by itself, and the reason as one sentence. */
interface LostMove {
  readonly worktree: WorktreeRow
  readonly why: string
}

/**
 * The moves that wait for a host that was declared lost: one that should push the worktree, or build the one that
 * continues it.
 */
export const lostMoves = async ({ db }: Pick<Context, 'db'>): Promise<readonly LostMove[]> => {
  const lost = new Map((await selectHosts(db)).flatMap(({ id, name, state }) => (state === 'lost' ? [[id, name]] : [])))
  if (lost.size === 0) return []
  const found: LostMove[] = []
  for (const worktree of await selectWorktrees(db, { folders: ['ready', 'leaving'] })) {
    const { name, host_id: host, folder, move_to: to } = worktree
    if (to === null || (folder === 'leaving' && (await unbuiltSuccessor(db, worktree)) === undefined)) continue
    const [from, there] = [lost.get(host), lost.get(to)]
    if (there !== undefined)
      found.push({ worktree, why: `Host ${there} was declared lost, so ${name} does not move there.` })
    else if (folder === 'ready' && from !== undefined)
      found.push({ worktree, why: `Host ${from} was declared lost before it had pushed all of ${name}.` })
  }
  return found
}

/** Ends these moves: each worktree stays where it is, with its tasks. */
export const endLostMoves = async (
  context: Context,
): Promise<{ readonly worktree: string; readonly ended: string | null }[]> => {
  const stayed = []
  for (const { worktree, why } of await lostMoves(context))
    stayed.push({ worktree: worktree.name, ended: await undoMove(context, worktree, why) })
  return stayed
}
