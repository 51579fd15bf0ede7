import { type NamedRemote, workRef } from '../../domain/host/remote.ts'
import { isRefusal, isUndecided, Refusal } from '../../domain/rules/refusal.ts'
import { someOf } from '../../domain/words/counts.ts'
import { hostOf } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { recordPushed } from '../../operations/hosts/locations.ts'
import { moveWorktree, refuseMove } from '../../operations/worktrees/moves.ts'
import { branchRef, commitOf } from '../git/commits.ts'
import { withSnapshot } from '../radar/snapshot.ts'
import { putRef, type Remote } from '../remote/remote.ts'
import { provenFolder } from '../worktrees/folder.ts'
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
  const { name } = worktree
  const remote: Remote = { root: core.root, ...named }
  try {
    await provenFolder(world, name)
    const oid = await pushAll(remote, worktree, () =>
      snapshots ? travelling(world, remote, worktree) : refuseUncommitted(world, worktree),
    )
    await perform(core, recordPushed, { worktree: name, oid }, actor)
    await perform(core, moveWorktree, { worktreeName: name, oid }, actor)
  } catch (error) {
    if (!isRefusal(error) || isUndecided(error)) throw error
    await perform(core, refuseMove, { worktreeName: name, problem: error.message }, actor)
    throw error
  }
}

/** How often the branch is pushed again because it got a commit meanwhile. */
const TRIES = 5

/**
 * Pushes the branch until it is where it was before the push: no agent begins in a worktree that moves, but a process may
 * commit there that none has started. Returns the commit.
 */
const pushAll = async (
  remote: Remote,
  { name, branch, pushedOid }: WorktreeWork,
  files: () => Promise<void>,
): Promise<string> => {
  let expected = pushedOid
  for (let tries = 0; tries < TRIES; tries++) {
    const oid = await commitOf(remote.root, branchRef(branch))
    if (oid === undefined) throw new Refusal('not_found', `The branch ${branch} of ${name} is gone.`)
    await putRef(remote, { ref: workRef(name), oid, expected })
    await files()
    if ((await commitOf(remote.root, branchRef(branch))) === oid) return oid
    expected = oid
  }
  throw new Refusal(
    'would_lose_work',
    `Worktree ${name} gets commits again and again, so it cannot be moved. End what commits there, then move it.`,
  )
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
