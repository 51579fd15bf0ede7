import { Refusal } from '../../domain/rules/refusal.ts'
import { isHome } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { readWishes } from '../../operations/supervision/wishes.ts'
import { recordFollowed } from '../../operations/integration/drift-detection.ts'
import { branchRef, commitOf, contains } from '../git/commits.ts'
import { landingOwn } from '../guard/own-configuration.ts'
import type { Moved } from '../integration/move.ts'
import { moveTarget } from '../integration/mover.ts'
import type { Remote } from '../remote/remote.ts'
import { fetchTarget } from '../remote/tips.ts'
import type { World } from '../world.ts'

// With several hosts, the target is the branch on the remote; those of the clones follow it.

type WishesToFollow = Awaited<ReturnType<(typeof readWishes)['run']>>

/** How long a branch that cannot follow is left alone (ms). */
const REST = 60_000

/** The targets of this clone as a source of jobs: they follow the remote after each integration, and at the beginning. */
export const followJobsOf = (world: World) => {
  const { root } = world.core
  /** The last integration that each target has followed, and when it is tried again. */
  const followed = new Map<string, number>()
  const due = new Map<string, { readonly id: number; readonly at: number }>()
  return ({ remote, landed }: WishesToFollow, now: number) =>
    remote === null
      ? []
      : landed.flatMap(({ target, id }) => {
          const rest = due.get(target)
          if (followed.get(target) === id || (rest?.id === id && now < rest.at)) return []
          const run = async (): Promise<void> => {
            due.set(target, { id, at: performance.now() + REST })
            await followTarget(world, { root, ...remote }, target)
            followed.set(target, id)
          }
          return [{ key: `follow ${target}`, run }]
        })
}

/**
 * Brings the branch of this clone to where the remote has it, with its checkout, as far as that overwrites nothing of a
 * person's. Refuses with the reason if it cannot.
 */
const followTarget = async (world: World, remote: Remote, target: string): Promise<void> => {
  const to = await fetchTarget(remote, target)
  const from = await commitOf(remote.root, branchRef(target))
  if (to === undefined || from === undefined) return
  if (!(await contains(remote.root, to, from))) {
    if (await contains(remote.root, from, to)) return
    throw new Refusal(
      'target_dirty',
      `The branch ${target} of this clone has commits that the remote has not, so it does not follow. Rebase or merge it.`,
    )
  }
  const moved = await follow(world, { target, from, to })
  if (moved.kind === 'held' || moved.kind === 'stale')
    throw new Refusal(
      'target_dirty',
      `The branch ${target} of this clone does not follow the remote: ${moved.problem.replace(/,? ?(?:then approve again|aiswarm merges again)\.$/, '.')}`,
    )
}

const follow = async (
  world: World,
  { target, from, to }: { readonly target: string; readonly from: string; readonly to: string },
): Promise<Moved> => {
  const { core, actor } = world
  const message = `aiswarm: ${target} follows the remote`
  const move = () => moveTarget(core.root, { id: 0, target, from, to, message, landed: false, resumed: false })
  if (!isHome(core)) return move()
  const moved = await landingOwn(world, { from, to, isRead: false }, move)
  if (moved.kind === 'moved' && from !== to) await perform(core, recordFollowed, { target, from, to }, actor)
  return moved
}
