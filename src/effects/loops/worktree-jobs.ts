import { wipRef, workRef } from '../../domain/host/remote.ts'
import { hostOf } from '../../operations/perform/core.ts'
import type { PutBackWork, RestoreWork, WorktreeWork } from '../../operations/supervision/wishes.ts'
import { type OpenIntegration, prepareIntegration } from '../integration/candidate.ts'
import { landQueue } from '../integration/merge-queue.ts'
import { isResting, removeWorktree } from '../archive/remover.ts'
import { restoreWorktree } from '../archive/restorer.ts'
import { buildWorktree } from '../worktrees/builder.ts'
import { putBack } from '../integration/target-reset.ts'
import { moveWork } from '../hosts/code-exchange.ts'
import { dropRef } from '../remote/remote.ts'
import { dropHead } from '../remote/pushed-branches.ts'
import { remoteOf } from '../remote/tips.ts'
import type { World } from '../world.ts'
import { exclusive, type Job } from '../job.ts'

export const jobOfWorktree = (world: World, worktree: WorktreeWork): Job | undefined => {
  if (worktree.folder === 'building') return buildJob(world, worktree)
  if (worktree.folder === 'ready' && worktree.moves) return moveJob(world, worktree)
  return worktree.folder === 'leaving' && !isResting(worktree, performance.now())
    ? removeJob(world, worktree)
    : undefined
}

export const jobOfIntegration = (
  world: World,
  integration: OpenIntegration,
  worktree: WorktreeWork | undefined,
): Job | undefined => {
  if (!worktree || worktree.folder !== 'ready') return undefined
  if (worktree.isElsewhere && !isPushed(worktree)) return undefined
  if (integration.status !== 'requested' && integration.status !== 'verifying')
    return { key: `landing:${integration.target}`, run: () => landQueue(world, integration.target) }
  return exclusive(world, `integration:${worktree.name}`, async (held, wishes) => {
    const still = wishes.integrations.find(
      ({ id, status }) => id === integration.id && (status === 'requested' || status === 'verifying'),
    )
    return still && prepareIntegration(held, still, worktree)
  })
}

/**
 * The host of a worktree pushes its branch when an integration is requested, and says that this is all of it. If it cannot
 * be reached, what it has pushed before is merged.
 */
const isPushed = ({ requestedAt, pushedAt, isAway }: WorktreeWork): boolean =>
  requestedAt === null || (pushedAt !== null && (isAway || pushedAt >= requestedAt))

export const buildJob = (world: World, worktree: WorktreeWork): Job =>
  worktreeJob(world, worktree, 'building', buildWorktree)
export const moveJob = (world: World, worktree: WorktreeWork): Job =>
  exclusive(world, `worktree:${worktree.name}`, async (held, wishes) => {
    const still = wishes.worktrees.find(({ name, moves }) => name === worktree.name && moves)
    const { remote, snapshots } = wishes
    return still && remote !== null ? moveWork(held, { remote, snapshots }, still) : undefined
  })
export const removeJob = (world: World, worktree: WorktreeWork): Job =>
  worktreeJob(world, worktree, 'leaving', async (held, one) => {
    const removed = await removeWorktree(held, one)
    if (removed) await dropRefs(held, one)
    return removed
  })

/** Deletes refs on the remote that a removed worktree needed. */
const dropRefs = async (world: World, worktree: WorktreeWork): Promise<void> => {
  const { name, status, pushedOid, wipOid, successor } = worktree
  const remote = await remoteOf(world)
  if (remote === undefined) return
  // The target has its commits.
  if (status === 'integrated' && pushedOid !== null) {
    await dropRef(remote, workRef(name), pushedOid)
    await dropHead(world, remote, worktree)
  }
  // The one that continues it may not have its files yet.
  if (wipOid !== null && successor === null) await dropRef(remote, wipRef(hostOf(world.core)!, name), wipOid)
}

export const restoreJob = (world: World, restore: RestoreWork): Job =>
  exclusive(world, `worktree:${restore.worktree}`, async (held, wishes) => {
    const still = wishes.restores.find(({ worktree, ref }) => worktree === restore.worktree && ref === restore.ref)
    return still && restoreWorktree(held, still)
  })

/** Waits while a merge into the same target runs. */
export const putBackJob = (world: World, work: PutBackWork): Job =>
  exclusive(world, `landing:${work.target}`, async (held, wishes) => {
    const still = wishes.putBacks.find(({ target, askedAt }) => target === work.target && askedAt === work.askedAt)
    return still && putBack(held, still)
  })

const worktreeJob = (
  world: World,
  { name, createdAt }: WorktreeWork,
  folder: WorktreeWork['folder'],
  work: (held: World, worktree: WorktreeWork) => Promise<boolean | void>,
): Job =>
  exclusive(world, `worktree:${name}`, async (held, wishes) => {
    const still = wishes.worktrees.find(
      (one) => one.name === name && one.createdAt === createdAt && one.folder === folder,
    )
    return still && work(held, still)
  })
