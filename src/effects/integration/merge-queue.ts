import { trackedRef } from '../../domain/host/remote.ts'
import { CONFIGURATION_CHANGED } from '../../domain/integration/trusted-configuration.ts'
import { beginMove, type Queued, readQueue, recordMove, recordRestack } from '../../operations/integration/merge.ts'
import { perform } from '../../operations/perform/perform.ts'
import { branchRef, commitOf, contains } from '../git/commits.ts'
import { git } from '../git/git.ts'
import { checkGuard } from '../guard/guard.ts'
import { landingOwn } from '../guard/own-configuration.ts'
import { unlessRoleLost, whileHolding } from '../lease.ts'
import { dropCandidate, keepCandidate, publishCandidate } from '../remote/candidates.ts'
import { listRemote, type Pushed, pushRef, type Remote } from '../remote/remote.ts'
import { branchesOf, fetchTarget, remoteOf } from '../remote/tips.ts'
import { noticeTargets } from '../watch/targets.ts'
import type { World } from '../world.ts'
import { integrationSettings, mergeOf, whyRewritten } from './candidate.ts'
import { proveContent } from './content.ts'
import { held, type Move, type Moved, stale } from './move.ts'
import { moveTarget } from './mover.ts'
import { type Verification, verify } from './verification.ts'

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

/**
 * Merges the approved integrations of a target on top of its commit `at`. If the target configures a verification, all of
 * them are first stacked and verified together; otherwise each is merged just before it lands, since another process may
 * take over before the next one.
 */
const landStack = async (
  world: World,
  target: string,
  { at, queue }: { readonly at: string; readonly queue: readonly Queued[] },
): Promise<'again' | 'later'> => {
  const merges = stacked(world, at, queue)
  const isOneAsVerified = queue.length === 1 && queue[0]!.targetOid === at
  const command = isOneAsVerified ? '' : (await integrationSettings(world, target, await remoteOf(world))).verify
  if (command === '') return landEach(world, merges, null)
  const stack: Stacked[] = []
  for await (const merge of merges) stack.push(merge)
  // The first one needs no verification on the commit on which it was verified alone.
  const sure = stack.length > 0 && isAsApproved(stack[0]!) ? 1 : 0
  const { good, verification, failed } = await verifyStack(world, command, stack, sure)
  const passing = stack.slice(0, good)
  if (failed) {
    const { queued } = stack[failed.upTo - 1]!
    const others = passing.map((one) => one.queued.worktree)
    const problem = `${queued.worktree} fails its verification ${others.length > 0 ? `together with ${others.join(', ')}` : `on top of what was merged into ${target}`}; fix it on the branch, then request the integration again.`
    await recordOutcome(world, queued, { kind: 'failed', problem, verification: failed.verification })
  }
  return landEach(world, passing, verification)
}

/** A merge on top of the previous ones. */
interface Stacked {
  readonly queued: Queued
  readonly targetOid: string
  readonly mergeOid: string
}

/**
 * Each merge on top of the previous one, made when it is asked for. An integration that conflicts there waits until the
 * others are merged; alone it is sent back.
 */
async function* stacked(world: World, at: string, queue: readonly Queued[]): AsyncGenerator<Stacked, void> {
  const { root } = world.core
  let top = at
  for (const queued of queue) {
    const merge =
      queued.targetOid === top
        ? { mergeOid: queued.mergeOid! }
        : await mergeOf(root, {
            targetOid: top,
            branchOid: queued.branchOid!,
            name: queued.worktree,
            branch: queued.branch,
          })
    if ('mergeOid' in merge) {
      if (merge.mergeOid !== queued.mergeOid) await keepCandidate(root, queued.id, merge.mergeOid)
      const targetOid = top
      top = merge.mergeOid
      yield { queued, targetOid, mergeOid: merge.mergeOid }
    } else if (top === at) {
      await recordOutcome(world, queued, {
        kind: 'stale',
        problem: `${queued.worktree} conflicts with what was merged before it; aiswarm merges again.`,
      })
    }
  }
}

const landEach = async (
  world: World,
  merges: Iterable<Stacked> | AsyncIterable<Stacked>,
  verification: Verification | null,
): Promise<'again' | 'later'> => {
  for await (const one of merges) {
    // During the verification, which may take long, the configuration may have been changed.
    if (verification !== null && !(await checkGuard(world))) return 'again'
    if (!isAsApproved(one) && !(await restack(world, one, verification))) return 'again'
    const step = await land(world, one)
    if (step !== 'landed') return step
  }
  return 'again'
}

/** The number of integrations from the bottom of the stack that pass together, and the first that fails. */
interface Verified {
  readonly good: number
  /** Of the topmost that passed. */
  readonly verification: Verification | null
  readonly failed: { readonly upTo: number; readonly verification: Verification } | undefined
}

/** Verifies all of them first and, if that fails, bisects. */
const verifyStack = async (
  world: World,
  command: string,
  stack: readonly Stacked[],
  sure: number,
): Promise<Verified> => {
  let found: Verified = { good: sure, verification: null, failed: undefined }
  while (found.good < stack.length && found.failed?.upTo !== found.good + 1) {
    const upTo = found.failed === undefined ? stack.length : Math.floor((found.good + found.failed.upTo) / 2)
    const integrations = stack.slice(0, upTo).map(({ queued }) => queued.id)
    const verification = await verify(world, {
      commit: stack[upTo - 1]!.mergeOid,
      command,
      integrations,
      worktree: stack[upTo - 1]!.queued.worktree,
    })
    found =
      verification.exitCode === 0
        ? { ...found, good: upTo, verification }
        : { ...found, failed: { upTo, verification } }
  }
  return found
}

const isAsApproved = ({ queued, mergeOid }: Stacked): boolean => queued.mergeOid === mergeOid

const restack = async (
  world: World,
  { queued, targetOid, mergeOid }: Stacked,
  verification: Verification | null,
): Promise<boolean> => {
  const { core, actor } = world
  // If the target does not accept it, a person decides on this merge, on any host.
  await publishCandidate(await remoteOf(world), queued, mergeOid)
  const approved = { branchOid: queued.branchOid!, mergeOid: queued.mergeOid! }
  const restacked = { id: queued.id, approved, targetOid, mergeOid, verification }
  return (await perform(core, recordRestack, restacked, actor)).recorded
}

/** Moves the target to one merge, or completes a move that another process began. */
const land = async (world: World, { queued, targetOid, mergeOid }: Stacked): Promise<'landed' | 'again' | 'later'> => {
  const { core, actor } = world
  const { root } = core
  const { id, target, worktree, branch } = queued
  // The objects may have been rewritten since they were shown, and exactly those that were approved may land.
  const rewritten = await whyRewritten(proveContent(root, mergeOid, targetOid))
  if (rewritten !== undefined) {
    await recordOutcome(world, queued, { kind: 'stale', problem: rewritten })
    return 'again'
  }
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

const recordOutcome = ({ core, actor }: World, { id }: Queued, outcome: Outcome) =>
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
