import { type NamedRemote, workRef } from '../../domain/host/remote.ts'
import { isRefusal, isUndecided, Refusal } from '../../domain/rules/refusal.ts'
import { someOf } from '../../domain/words/count.ts'
import { hostOf } from '../../operations/door/core.ts'
import { perform } from '../../operations/door/perform.ts'
import type { WorktreeWork } from '../../operations/loops/read-wishes.ts'
import { recordPushed } from '../../operations/loops/record-on-remote.ts'
import { moveWorktree, refuseMove } from '../../operations/worktrees/move-worktree.ts'
import { branchRef, commitOf } from '../git/facts.ts'
import { withSnapshot } from '../radar/with-snapshot.ts'
import { putRef, type Remote } from '../remote/exchange.ts'
import { provenFolder } from '../worktrees/place.ts'
import type { World } from '../world.ts'
import { pushSnapshot } from './snapshot-work.ts'

/**
 * Pushes everything that a worktree of this host has, so that another one can continue it elsewhere, and says so on the
 * board. If something cannot travel, the worktree stays, and the board says why.
 */
export const moveWork = async (
  world: World,
  { remote: named, snapshots }: { readonly remote: NamedRemote; readonly snapshots: boolean },
  worktree: WorktreeWork,
): Promise<void> => {
  const { core, actor } = world
  const { name, branch } = worktree
  const remote: Remote = { root: core.root, ...named }
  try {
    await provenFolder(world, name)
    const oid = await commitOf(core.root, branchRef(branch))
    if (oid === undefined) throw new Refusal('not_found', `The branch ${branch} of ${name} is gone.`)
    if (snapshots) await travelling(world, remote, worktree)
    else await refuseUncommitted(world, worktree)
    await putRef(remote, { ref: workRef(name), oid, expected: worktree.pushedOid })
    await perform(core, recordPushed, { worktree: name, oid }, actor)
    await perform(core, moveWorktree, { worktreeName: name, oid }, actor)
  } catch (error) {
    if (!isRefusal(error) || isUndecided(error)) throw error
    await perform(core, refuseMove, { worktreeName: name, problem: error.message }, actor)
    throw error
  }
}

const travelling = async (world: World, remote: Remote, worktree: WorktreeWork): Promise<void> => {
  const { remark } = await pushSnapshot(world, { remote, host: hostOf(world.core)! }, worktree)
  if (remark !== null)
    throw new Refusal(
      'would_lose_work',
      `Not all uncommitted work of ${worktree.name} can travel: ${remark}. Commit or remove it, then move the worktree.`,
    )
}

const refuseUncommitted = ({ core: { root, settings } }: World, { name, branch, path }: WorktreeWork): Promise<void> =>
  withSnapshot(root, { name, branchName: branch, path }, settings.integration.target, ({ uncommitted, remark }) => {
    if (uncommitted.size > 0)
      throw new Refusal(
        'would_lose_work',
        `Worktree ${name} has uncommitted files: ${someOf([...uncommitted], 5)}. Commit them, or let them travel with 'aiswarm fleet snapshots on'.`,
      )
    if (remark !== null) throw new Refusal('would_lose_work', `Worktree ${name} cannot be moved: ${remark}.`)
    return Promise.resolve()
  })
