import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Wish } from '../../contracts/outside.ts'
import { jobsFor } from './jobs.ts'
import { wishesOf } from '../wishes.ts'
import type { World } from '../world.ts'

/** Milliseconds for which a surface waits for its wish; a verification may take long. */
const PATIENCE = 30 * 60_000

/** Runs the jobs of the wish until no row asks for more. */
export const carryOut = async (world: World, wish: Wish): Promise<void> => {
  const until = performance.now() + PATIENCE
  while (performance.now() < until) {
    const jobs = jobsFor(world, await wishesOf(world), wish)
    if (jobs.length === 0) return afterwards(world, wish)
    const done = await Promise.all(jobs.map((job) => job.run()))
    if (done.includes(false)) await sleep(100)
  }
  throw new Refusal('database_busy', 'This takes longer than 30 minutes; a supervisor continues it.')
}

/** A completed integration is followed by the removal of its worktree. */
const afterwards = async (world: World, wish: Wish): Promise<void> => {
  if (wish.kind === 'land_integration') await carryOut(world, { kind: 'remove_worktree', worktree: wish.worktree })
}
