import { perform } from '../../operations/perform/perform.ts'
import { type Queued, recordRestack } from '../../operations/integration/merge.ts'
import { keepCandidate, publishCandidate } from '../remote/candidates.ts'
import { remoteOf } from '../remote/tips.ts'
import type { World } from '../world.ts'
import { integrationSettings } from './candidate.ts'
import { mergeOf } from './merge-commit.ts'
import { checkGuard } from '../guard/guard.ts'
import { type Verification, verify } from './verification/verifier.ts'
import { land, recordOutcome, type Stacked } from './land.ts'

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

/**
 * Merges the approved integrations of a target on top of its commit `at`. If the target configures a verification, all of
 * them are first stacked and verified together; otherwise each is merged just before it lands, since another process may
 * take over before the next one.
 */
export const landStack = async (
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
