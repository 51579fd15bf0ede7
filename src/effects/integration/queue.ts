import { beginMove } from '../../operations/integration/begin-move.ts'
import { perform } from '../../operations/door/perform.ts'
import { type Queued, readQueue } from '../../operations/loops/read-queue.ts'
import { recordMove } from '../../operations/loops/record-move.ts'
import { recordRestack } from '../../operations/loops/record-restack.ts'
import { CONFIGURATION_CHANGED } from '../../domain/integration/integration.ts'
import { branchRef, commitOf, contains } from '../git/facts.ts'
import { noticeTargets } from '../watch/targets.ts'
import { unlessRoleLost, type World, whileHolding } from '../world.ts'
import { dropCandidate, integrationSettings, keepCandidate, mergeOf } from './candidate.ts'
import { checkGuard } from '../guard/guard.ts'
import { landingOwn } from '../guard/own-changes.ts'
import { moveTarget } from './mover.ts'
import { type Verification, verify } from './verifier.ts'

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

/** A merge on top of the previous ones. */
interface Stacked {
  readonly queued: Queued
  readonly targetOid: string
  readonly mergeOid: string
}

const landNext = async (world: World, target: string): Promise<'done' | 'again' | 'later'> => {
  const { core, actor } = world
  if ((await perform(core, readQueue, { target, at: null }, actor)).queue.length === 0) return 'done'
  // A change by another program is reported before our own move hides it.
  await noticeTargets(world)
  const at = (await commitOf(core.root, branchRef(target))) ?? null
  const { queue, passed } = await perform(core, readQueue, { target, at }, actor)
  if (!(await checkGuard(world))) {
    for (const { id } of queue) await perform(core, recordMove, { id, outcome: { kind: 'held', problem: CONFIGURATION_CHANGED } }, actor)
    return 'done'
  }
  const moving = queue.find(({ status }) => status === 'moving')
  if (moving) {
    const step = await land(world, { queued: moving, targetOid: moving.targetOid!, mergeOid: moving.mergeOid! })
    return step === 'later' ? 'later' : 'again'
  }
  const valid = await withoutStale(world, queue, { target, at, passed })
  if (valid.length === 0 || at === null) return 'again'
  const stack = await stackOf(world, at, valid)
  if (stack.length === 0) return 'again'
  return landStack(world, target, stack)
}

/**
 * The integrations for which nothing but the target has moved since their approval, and the target only by merges of
 * this queue. The others are prepared again.
 */
const withoutStale = async (world: World, queue: readonly Queued[], { target, at, passed }: { target: string; at: string | null; passed: readonly string[] }) => {
  const valid: Queued[] = []
  for (const queued of queue) {
    const targetStands = queued.targetOid === at || passed.includes(queued.targetOid!)
    const branchStands = (await commitOf(world.core.root, branchRef(queued.branch))) === queued.branchOid
    if (targetStands && branchStands) valid.push(queued)
    else await end(world, queued, { kind: 'stale', problem: `${targetStands ? queued.branch : target} has moved since the merge was created; aiswarm merges again.` })
  }
  return valid
}

/**
 * Each merge on top of the previous one. An integration that conflicts there waits until the others are merged; alone
 * it is sent back.
 */
const stackOf = async (world: World, at: string, queue: readonly Queued[]): Promise<readonly Stacked[]> => {
  const { root } = world.core
  const stack: Stacked[] = []
  let top = at
  for (const queued of queue) {
    const merge =
      queued.targetOid === top
        ? { mergeOid: queued.mergeOid! }
        : await mergeOf(root, { targetOid: top, branchOid: queued.branchOid!, name: queued.worktree, branch: queued.branch })
    if ('mergeOid' in merge) {
      if (merge.mergeOid !== queued.mergeOid) await keepCandidate(root, queued.id, merge.mergeOid)
      stack.push({ queued, targetOid: top, mergeOid: merge.mergeOid })
      top = merge.mergeOid
    } else if (stack.length === 0) {
      await end(world, queued, { kind: 'stale', problem: `${queued.worktree} conflicts with what was merged before it; aiswarm merges again.` })
    }
  }
  return stack
}

const landStack = async (world: World, target: string, stack: readonly Stacked[]): Promise<'again' | 'later'> => {
  // The first one needs no verification on the commit on which it was verified alone.
  const sure = isAsApproved(stack[0]!) ? 1 : 0
  const { good, verification, failed } = sure === stack.length ? { good: sure, verification: null, failed: undefined } : await verifyStack(world, target, stack, sure)
  const passing = stack.slice(0, good)
  if (failed) {
    const { queued } = stack[failed.upTo - 1]!
    const others = passing.map((one) => one.queued.worktree)
    const problem = `${queued.worktree} fails its verification ${others.length > 0 ? `together with ${others.join(', ')}` : `on top of what was merged into ${target}`}; fix it on the branch, then request the integration again.`
    await end(world, queued, { kind: 'failed', problem, verification: failed.verification })
  }
  for (const one of passing) {
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
const verifyStack = async (world: World, target: string, stack: readonly Stacked[], sure: number): Promise<Verified> => {
  const { verify: command } = await integrationSettings(world, target)
  if (command === '') return { good: stack.length, verification: null, failed: undefined }
  let found: Verified = { good: sure, verification: null, failed: undefined }
  while (found.good < stack.length && found.failed?.upTo !== found.good + 1) {
    const upTo = found.failed === undefined ? stack.length : Math.floor((found.good + found.failed.upTo) / 2)
    const integrations = stack.slice(0, upTo).map(({ queued }) => queued.id)
    const verification = await verify(world, { commit: stack[upTo - 1]!.mergeOid, command, integrations, worktree: stack[upTo - 1]!.queued.worktree })
    found = verification.exitCode === 0 ? { ...found, good: upTo, verification } : { ...found, failed: { upTo, verification } }
  }
  return found
}

const isAsApproved = ({ queued, mergeOid }: Stacked): boolean => queued.mergeOid === mergeOid

const restack = async ({ core, actor }: World, { queued, targetOid, mergeOid }: Stacked, verification: Verification | null): Promise<boolean> =>
  (await perform(core, recordRestack, { id: queued.id, approved: { branchOid: queued.branchOid!, mergeOid: queued.mergeOid! }, targetOid, mergeOid, verification }, actor)).recorded

/** Moves the target to one merge, or completes a move that another process began. */
const land = async (world: World, { queued, targetOid, mergeOid }: Stacked): Promise<'landed' | 'again' | 'later'> => {
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
  await end(world, queued, moved.kind === 'moved' ? { kind: 'landed' } : moved)
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

const end = ({ core, actor }: World, { id }: Queued, outcome: Outcome) => perform(core, recordMove, { id, outcome }, actor)
