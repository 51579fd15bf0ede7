import { beginMove } from '../../operations/integration/begin-move.ts'
import { perform } from '../../operations/door/perform.ts'
import type { Queued } from '../../operations/loops/read-queue.ts'
import { recordMove } from '../../operations/loops/record-move.ts'
import { branchRef, commitOf, contains } from '../git/facts.ts'
import type { World } from '../world.ts'
import { dropCandidate } from './candidate.ts'
import { landingOwn } from '../guard/own-changes.ts'
import { moveTarget } from './mover.ts'

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
  await recordOutcome(world, queued, moved.kind === 'moved' ? { kind: 'landed' } : moved)
  if (moved.kind !== 'moved') return 'again'
  await dropCandidate(root, id)
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
