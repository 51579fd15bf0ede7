import { changeAgent, selectAgents } from '../../db/agents.ts'
import type { Context } from './core.ts'
import { endStopped } from '../terminate-agent.ts'

/** Stops every agent of a worktree: at once where there is no process, else by a wish that a loop carries out. */
export const stopAgentsOf = async (context: Context, worktree: string, reason: string): Promise<void> => {
  for (const agent of await selectAgents(context.db, { live: true, worktree })) {
    if (agent.process === 'wanted' || agent.process === 'started') {
      await changeAgent(context.db, agent.id, { run: agent.run }, { stop_requested_at: agent.stop_requested_at ?? context.now, stop_reason: agent.stop_reason ?? reason })
    } else {
      await endStopped(context, agent, reason)
    }
  }
}
