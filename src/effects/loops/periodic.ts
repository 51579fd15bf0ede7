import { perform } from '../../operations/perform/perform.ts'
import { renew, sweep } from '../../operations/supervision/sweep.ts'
import { sampleRuns } from '../processes/left-processes.ts'
import { inspect, keepPaused } from '../runs/termination.ts'
import type { World } from '../world.ts'
import type { Job, Wishes } from '../job.ts'

/** Renews the leases of living agents. Separate from the jobs, because it depends on the clock. */
export const renewLiving = async (
  world: World,
  wishes: Wishes,
  firstSeenDead: Map<string, number>,
  now: number,
): Promise<void> => {
  keepPaused(wishes.runs)
  sampleRuns(wishes.runs)
  // An agent that is to be started, or whose fate is unknown, must not lose its task to the sweep.
  const agentIds = wishes.runs
    .filter(
      (run) =>
        run.process !== 'started' || !['ended', 'vanished'].includes(inspect(world.core, run, firstSeenDead, now)),
    )
    .map((run) => run.agentId)
  if (agentIds.length > 0) await perform(world.core, renew, { agentIds }, world.actor)
}

/**
 * Reads the new output of agents: tokens, cost, context use and progress of commands are shown while they work.
 * Separate from the jobs, because it depends on the clock.
 */
export const followJobs = (world: World, wishes: Wishes): readonly Job[] =>
  wishes.runs
    .filter((run) => run.process === 'started')
    .map((run) => ({ key: `output ${run.agentId}`, run: () => world.reports.follow(world, run) }))

/** `stood`: this process was stopped or without the board for a while, and perhaps all others too. */
export const sweepSilent = (world: World, { stood = false, first = false } = {}) =>
  perform(
    world.core,
    sweep,
    {
      ...(stood ? { stood } : {}),
      ...(first ? { first } : {}),
      ...(typeof world.core.host === 'string' ? { program: world.version } : {}),
    },
    world.actor,
  )
