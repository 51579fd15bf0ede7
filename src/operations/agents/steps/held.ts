import { selectAgent } from '../../../db/agents.ts'
import { hasAttempted } from '../../../db/attempts.ts'
import { together } from '../../../db/engine/db.ts'
import type { AgentRow } from '../../../db/schema/agents.ts'
import type { TaskRow } from '../../../db/tasks.ts'
import { checkActsAs } from '../../../domain/agent/actor.ts'
import { Refusal } from '../../../domain/rules/refusal.ts'
import { isHeld, type TaskVerb, whyNot } from '../../../domain/task/task.ts'
import type { Context } from '../../perform/core.ts'
import { findLiveAgent, findTaskFacts } from '../../perform/find.ts'

/**
 * Finds the task that an agent claims to hold, and the agent. Refuses if the state does not allow `verb`, if another
 * agent holds the task, or if the attempt has ended (`attempt`, if the caller names it).
 */
export const findHeld = async (
  context: Context,
  verb: TaskVerb,
  taskId: number,
  agentId: string | undefined,
  attempt?: number,
): Promise<{ task: TaskRow; agent: AgentRow }> => {
  const { db, actor } = context
  const id = agentId ?? (actor.kind === 'agent' ? actor.id : undefined)
  if (id !== undefined) checkActsAs(actor, id)
  const [{ task, facts }, named] = await together(
    findTaskFacts(db, taskId),
    id === undefined ? undefined : selectAgent(db, id),
  )
  const why = whyNot(verb, facts)
  const holder = task.assigned_agent_id
  if (id !== undefined && isHeld(task.status) && holder !== id) {
    await findLiveAgent(db, id)
    throw new Refusal(
      'lease_lost',
      `Agent ${id} does not hold task ${taskId}; ${holder} does, in attempt ${task.attempt}.`,
    )
  }
  if (why !== undefined) throw new Refusal((await wasHeldBy(context, task, id)) ? 'lease_lost' : 'invalid_state', why)
  if (attempt !== undefined && attempt !== task.attempt)
    throw new Refusal(
      'lease_lost',
      `Attempt ${attempt} of task ${taskId} has ended; attempt ${task.attempt} holds it now. Stop working on it, and request tasks again.`,
    )
  const agent = named ?? (await selectAgent(db, holder!))
  return { task, agent: agent! }
}

/** True if the agent once held the task and lost it: the refusal then has its own code. */
const wasHeldBy = async ({ db }: Context, task: TaskRow, agentId: string | undefined): Promise<boolean> =>
  agentId !== undefined && task.status === 'pending' && (await hasAttempted(db, task.id, agentId))
