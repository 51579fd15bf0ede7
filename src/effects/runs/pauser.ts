import { perform } from '../../operations/perform/perform.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { recordPause } from '../../operations/runs/processes.ts'
import { signalIfAlive } from '../processes/signals.ts'
import type { World } from '../world.ts'

/**
 * Stops the process group of a run until a person has answered. The row is written first: a process that starts after a
 * crash finds which run may be stopped, and continues it when it is no longer blocked.
 */
export const pause = async ({ core, actor }: World, run: AgentRun): Promise<boolean> => {
  if (!run.identity) return false
  const { recorded } = await perform(core, recordPause, { agentId: run.agentId, run: run.run, paused: true }, actor)
  return recorded && signalIfAlive(run.identity, 'SIGSTOP')
}

/** Continues the run; can be repeated after a crash before it was recorded. */
export const resume = async ({ core, actor }: World, run: AgentRun): Promise<void> => {
  if (run.identity) signalIfAlive(run.identity, 'SIGCONT')
  await perform(core, recordPause, { agentId: run.agentId, run: run.run, paused: false }, actor)
}

/** Stops every blocked run that was stopped before, whatever has happened since. A second signal changes nothing. */
export const keepPaused = (runs: readonly AgentRun[]): void => {
  for (const run of runs) if (run.held && run.pausedAt !== null && run.identity) signalIfAlive(run.identity, 'SIGSTOP')
}
