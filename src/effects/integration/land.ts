import { beginMove, type Queued, recordMove } from '../../operations/integration/merge.ts'
import { trackedRef } from '../../domain/host/remote.ts'
import { perform } from '../../operations/perform/perform.ts'
import { branchRef, commitOf, contains } from '../git/commits.ts'
import { git } from '../git/git.ts'
import { dropCandidate } from '../remote/candidates.ts'
import { listRemote, type Pushed, pushRef, type Remote } from '../remote/remote.ts'
import { fetchTarget, remoteOf } from '../remote/tips.ts'
import type { World } from '../world.ts'
import { landingOwn } from '../guard/own-configuration.ts'
import { moveTarget } from './mover.ts'
import { held, type Move, type Moved, stale } from './move.ts'

/** A merge on top of the previous ones. */
export interface Stacked {
  readonly queued: Queued
  readonly targetOid: string
  readonly mergeOid: string
}

/** Moves the target to one merge, or completes a move that another process began. */
export const land = async (
  world: World,
  { queued, targetOid, mergeOid }: Stacked,
): Promise<'landed' | 'again' | 'later'> => {
  const { core, actor } = world
  const { root } = core
  const { id, target, worktree, branch } = queued
  if (!(await perform(core, beginMove, { id }, actor)).begun) return 'again'
  const remote = await remoteOf(world)
  if (remote !== undefined) {
    const resumed = queued.status === 'moving'
    const there = await moveRemoteTarget(remote, { target, from: targetOid, to: mergeOid, resumed })
    if (there.kind !== 'moved' && there.kind !== 'busy') {
      await recordOutcome(world, queued, there)
      return 'again'
    }
  }
  const landed = queued.status === 'moving' && (await hasLanded(root, target, targetOid, mergeOid))
  const move = () =>
    moveTarget(root, {
      id,
      target,
      from: targetOid,
      to: mergeOid,
      message: `aiswarm: integrate ${worktree} (${branch})`,
      landed,
      resumed: queued.status === 'moving',
    })
  const moved = await landingOwn(world, { from: targetOid, to: mergeOid, isRead: queued.approval === 'human' }, move)
  if (moved.kind === 'busy') return 'later'
  // On the remote it has landed, whatever keeps this clone from following; that is tried again, and reported.
  const isBehind = moved.kind !== 'moved' && remote !== undefined
  const outcome: Outcome = isBehind ? { kind: 'landed', isBehind } : moved.kind === 'moved' ? { kind: 'landed' } : moved
  await recordOutcome(world, queued, outcome)
  if (outcome.kind !== 'landed') return 'again'
  await dropCandidate(root, remote, { id, mergeOid })
  return 'landed'
}

/** True if a move was interrupted after its last step. */
const hasLanded = async (root: string, target: string, from: string, to: string): Promise<boolean> => {
  const at = await commitOf(root, branchRef(target))
  return at !== undefined && at !== from && contains(root, at, to)
}

type Outcome = Parameters<typeof perform<typeof recordMove.input, typeof recordMove.output>>[2]['outcome']

export const recordOutcome = ({ core, actor }: World, { id }: Queued, outcome: Outcome) =>
  perform(core, recordMove, { id, outcome }, actor)

/**
 * Moves the target on the remote by compare-and-swap: if another program has moved it meanwhile, the remote refuses. After a
 * crash or a lost answer, it finds that it has moved it already.
 */
const moveRemoteTarget = async (
  remote: Remote,
  move: Pick<Move, 'target' | 'from' | 'to' | 'resumed'>,
): Promise<Moved> => {
  const { target, from, to, resumed } = move
  const ref = branchRef(target)
  // It was there a moment ago; only if it is not, and after a crash, it is looked for.
  if (!resumed) {
    const pushed = await pushRef(remote, { ref, oid: to, expected: from })
    if (pushed.kind !== 'stale') return movedOrHeld(remote, move, pushed)
  }
  const at = (await listRemote(remote, [ref])).get(ref)
  if (at === to) return { kind: 'moved' }
  // The answer to its own push may be lost, and another push may be on top of it.
  const unlessContained = async (): Promise<Moved> =>
    (await containsFetched(remote, target, to)) ? { kind: 'moved' } : stale(move)
  if (at !== undefined && at !== from) return unlessContained()
  const pushed = await pushRef(remote, { ref, oid: to, expected: at ?? null })
  return pushed.kind === 'stale' ? unlessContained() : movedOrHeld(remote, move, pushed)
}

/** Where it was moved, the clone knows it there: it is not fetched. */
const movedOrHeld = async (
  { root }: Remote,
  { target, to }: Pick<Move, 'target' | 'to'>,
  pushed: Exclude<Pushed, { readonly kind: 'stale' }>,
): Promise<Moved> => {
  if (pushed.kind === 'refused')
    return held(
      `The git remote does not let aiswarm move ${target}: ${pushed.problem}. Allow it there, then approve again.`,
    )
  await git(root, ['update-ref', trackedRef(target), to])
  return { kind: 'moved' }
}

/** True if the target on the remote has been moved to a merge, and further since. */
const containsFetched = async (remote: Remote, target: string, merge: string): Promise<boolean> => {
  const at = await fetchTarget(remote, target)
  return at !== undefined && contains(remote.root, at, merge)
}
