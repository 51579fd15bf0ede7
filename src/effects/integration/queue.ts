import { perform } from '../../operations/perform/perform.ts'
import { type Queued, readQueue, recordMove } from '../../operations/integration/merge.ts'
import { CONFIGURATION_CHANGED } from '../../domain/integration/trusted-configuration.ts'
import { branchRef, commitOf } from '../git/commits.ts'
import { branchesOf, fetchTarget, remoteOf } from '../remote/tips.ts'
import { noticeTargets } from '../watch/targets.ts'
import { unlessRoleLost, whileHolding } from '../lease.ts'
import type { World } from '../world.ts'
import { checkGuard } from '../guard/guard.ts'
import { land, recordOutcome } from './land.ts'
import { landStack } from './stack.ts'

/**
 * Merges the approved integrations of a target, one after the other. Several are first stacked on each other and
 * verified together; if that fails, bisection finds the first one that fails, which is sent back, and the others are
 * merged. Returns false if the queue must wait.
 */
export const landQueue = async (world: World, target: string): Promise<boolean> => {
  const held = await unlessRoleLost(() =>
    whileHolding(world, `landing:${target}`, 0, async (alone) => {
      for (;;) {
        const step = await landNext(alone, target)
        if (step !== 'again') return step === 'done'
      }
    }),
  )
  return held?.result ?? false
}

const landNext = async (world: World, target: string): Promise<'done' | 'again' | 'later'> => {
  const { core, actor } = world
  if ((await perform(core, readQueue, { target, at: null }, actor)).queue.length === 0) return 'done'
  // A change by another program is reported before our own move hides it.
  await noticeTargets(world)
  const remote = await remoteOf(world)
  const at =
    (await (remote === undefined ? commitOf(core.root, branchRef(target)) : fetchTarget(remote, target))) ?? null
  const { queue, passed } = await perform(core, readQueue, { target, at }, actor)
  if (!(await checkGuard(world))) {
    for (const { id } of queue)
      await perform(core, recordMove, { id, outcome: { kind: 'held', problem: CONFIGURATION_CHANGED } }, actor)
    return 'done'
  }
  const moving = queue.find(({ status }) => status === 'moving')
  if (moving) {
    const step = await land(world, { queued: moving, targetOid: moving.targetOid!, mergeOid: moving.mergeOid! })
    return step === 'later' ? 'later' : 'again'
  }
  const valid = await withoutStale(world, queue, { target, at, passed })
  if (valid.length === 0 || at === null) return 'again'
  return landStack(world, target, { at, queue: valid })
}

/**
 * The integrations for which nothing but the target has moved since their approval, and the target only by merges of
 * this queue. The others are prepared again.
 */
const withoutStale = async (
  world: World,
  queue: readonly Queued[],
  { target, at, passed }: { target: string; at: string | null; passed: readonly string[] },
) => {
  const valid: Queued[] = []
  const branches = await branchesOf(world.core.root, await remoteOf(world), queue)
  for (const queued of queue) {
    const targetStands = queued.targetOid === at || passed.includes(queued.targetOid!)
    const branchStands = branches.get(queued.worktree) === queued.branchOid
    if (targetStands && branchStands) valid.push(queued)
    else
      await recordOutcome(world, queued, {
        kind: 'stale',
        problem: `${targetStands ? queued.branch : target} has moved since the merge was created; aiswarm merges again.`,
      })
  }
  return valid
}
