import { selectAgent } from '../../../db/agents.ts'
import type { AgentRow } from '../../../db/schema/agents.ts'
import type { TaskRow } from '../../../db/tasks.ts'
import type { Context } from '../../perform/core.ts'
import { findTask } from '../../perform/find.ts'
import { claimFor, note, releaseHeld, startHeld } from '../../tasks/attempts.ts'

/** The beginning of the stop reason of an agent whose conversation a person takes over; the holder's id follows. */
const TAKEN = 'taken over by '

export const takenOverBy = (holder: string): string => `${TAKEN}${holder}`

/** The id of the agent row by which a person takes over, if this agent is stopped for that. */
export const holderOf = ({ stop_reason: reason }: Pick<AgentRow, 'stop_reason'>): string | undefined =>
  reason?.startsWith(TAKEN) === true ? reason.slice(TAKEN.length) : undefined

/**
 * Makes the task of a stopped agent pending again. If a person takes the agent's conversation over, the person holds
 * the task from the same moment on, so that no other agent starts in between.
 */
export const releaseStopped = async (context: Context, agent: AgentRow, task: TaskRow, why: string): Promise<void> => {
  await releaseHeld(context, task, { outcome: 'terminated', why })
  const holder = await selectAgent(context.db, holderOf(agent) ?? '')
  if (!holder || holder.status === 'terminated' || holder.parent_agent_id !== agent.id) return
  await holdFor(context, await findTask(context.db, task.id), holder, agent.id)
}

/** The person holds the task by a lease, as an agent would. */
export const holdFor = async (context: Context, task: TaskRow, holder: AgentRow, agentId: string): Promise<void> => {
  await claimFor(context, task, holder)
  const held = await findTask(context.db, task.id)
  await startHeld(context, held)
  await note(context, held, 'info', `A person took over the conversation of ${agentId}.`)
}
