import { isRefusal, isUndecided } from '../../domain/rules/refusal.ts'
import { isHome } from '../../operations/perform/core.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import type { World } from '../world.ts'
import { lookAfterRun, lookBeforeRun } from './checkout.ts'
import { noticeTargets } from './targets.ts'

/** Runs before an agent starts: earlier changes are the person's. */
export const noticeBeforeRun = (world: World): Promise<void> =>
  unlessRefused(world, async () => {
    await noticeTargets(world)
    await lookBeforeRun(world)
  })

/** Runs at the end of a run, while it still counts as running. */
export const noticeAfterRun = (world: World, run: Pick<AgentRun, 'agentId' | 'worktree'>): Promise<void> =>
  unlessRefused(world, async () => {
    await noticeTargets(world)
    await lookAfterRun(world, run)
  })

/** A repository that git cannot read blocks no start and no end of a run; the error is reported. */
const unlessRefused = async (world: World, work: () => Promise<unknown>): Promise<void> => {
  // The watch is over the targets and the main checkout of the board, on its first host.
  if (!isHome(world.core)) return
  try {
    await work()
  } catch (error) {
    if (!isRefusal(error) || isUndecided(error)) throw error
    world.report(error.message)
  }
}
