import { changeAgent, selectAgents, selectHeldTasks } from '../../../db/agents.ts'
import type { AgentRow } from '../../../db/schema/agents.ts'
import type { Context } from '../../perform/core.ts'
import { findTask, must } from '../../perform/find.ts'
import { endAgent } from './agent-rows.ts'
import { releaseStopped } from './hand-over.ts'

/** Stops every agent of a worktree: at once if it has no process, otherwise by a wish that a loop carries out. */
export const stopAgentsOf = async (context: Context, worktree: string, reason: string): Promise<void> => {
  for (const agent of await selectAgents(context.db, { live: true, worktree })) {
    if (agent.process === 'wanted' || agent.process === 'started') {
      must(
        await changeAgent(
          context.db,
          agent.id,
          { run: agent.run },
          { stop_requested_at: agent.stop_requested_at ?? context.now, stop_reason: agent.stop_reason ?? reason },
        ),
        `Agent ${agent.id}`,
      )
    } else {
      await endStopped(context, agent, reason)
    }
  }
}

/** Ends a stopped agent: its tasks become pending again. */
export const endStopped = async (
  context: Context,
  agent: AgentRow,
  reason: string,
  change: Partial<AgentRow> = {},
): Promise<void> => {
  for (const held of await selectHeldTasks(context.db, [agent.id])) {
    const task = await findTask(context.db, held.task_id)
    await releaseStopped(context, agent, task, `Agent ${agent.id} was stopped: ${reason}.`)
  }
  await endAgent(context, agent, {
    stop_requested_at: agent.stop_requested_at ?? context.now,
    stop_reason: reason,
    ...change,
  })
}
