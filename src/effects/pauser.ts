import { perform } from '../operations/kernel/perform.ts'
import type { AgentRun } from '../operations/read-wishes.ts'
import { recordPause } from '../operations/record-pause.ts'
import { signalIfAlive } from './process.ts'
import type { World } from './world.ts'

/**
 * Stops the process group of a run until a person has answered. Recorded first: whoever starts after a crash finds a row
 * that says what may be stopped, and continues it when it is no longer held.
 */
export const pause = async ({ core, actor }: World, run: AgentRun): Promise<boolean> => {
  if (!run.identity) return false
  const { recorded } = await perform(core, recordPause, { agentId: run.agentId, run: run.run, paused: true }, actor)
  return recorded && signalIfAlive(run.identity, 'SIGSTOP')
}

/** Lets it go on; can be repeated after a crash before it was recorded. */
export const resume = async ({ core, actor }: World, run: AgentRun): Promise<void> => {
  if (run.identity) signalIfAlive(run.identity, 'SIGCONT')
  await perform(core, recordPause, { agentId: run.agentId, run: run.run, paused: false }, actor)
}

/** Whatever came between: a run that is held and was stopped once is stopped. A second signal changes nothing. */
export const keepPaused = (runs: readonly AgentRun[]): void => {
  for (const run of runs) if (run.held && run.pausedAt !== null && run.identity) signalIfAlive(run.identity, 'SIGSTOP')
}
