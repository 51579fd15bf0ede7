import { z } from 'zod'
import { changeAgent, selectAgent, selectHeldTasks } from '../../db/agents.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { whyNot } from '../../domain/task/task.ts'
import type { Context } from '../perform/core.ts'
import { findAgent, findTaskFacts, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId } from '../perform/schemas.ts'
import { addHolder, holderOf, holdFor, takenOverBy } from '../runs/agents.ts'

export const takeOver = operation({
  name: 'take_over',
  summary: "Take over an agent's conversation: its process is stopped, and you hold its task",
  access: 'write',
  authority: 'person',
  input: () => z.strictObject({ agentId }),
  output: () => z.object({ agentId: z.string(), holderId: z.string(), taskId: z.int(), stops: z.boolean() }),
  run: async (context, input) => {
    const { db, now } = context
    const agent = await findAgent(db, input.agentId)
    await refuseTaken(context, agent)
    const stops = agent.process === 'wanted' || agent.process === 'started'
    const taskId = stops ? await heldBy(context, agent) : await releasedBy(context, agent)
    const holder = await addHolder(context, agent.persona_id, {
      assigned_worktree: agent.assigned_worktree,
      parent_agent_id: agent.id,
    })
    if (stops)
      must(
        await changeAgent(
          db,
          agent.id,
          { run: agent.run },
          { stop_requested_at: agent.stop_requested_at ?? now, stop_reason: takenOverBy(holder.id) },
        ),
        `Agent ${agent.id}`,
      )
    else await holdFor(context, (await findTaskFacts(db, taskId)).task, holder, agent.id)
    return { agentId: agent.id, holderId: holder.id, taskId, stops }
  },
  subject: ({ agentId, holderId, taskId, stops }) => ({ agentId, taskId, details: { holder: holderId, stops } }),
  wish: ({ agentId, stops }) => (stops ? { kind: 'stop_agent', agentId } : undefined),
})

/** Two people cannot sit in one chair. */
const refuseTaken = async ({ db }: Context, agent: AgentRow): Promise<void> => {
  const id = holderOf(agent)
  const holder = id === undefined ? undefined : await selectAgent(db, id)
  if (holder && holder.status !== 'terminated')
    throw new Refusal(
      'already_claimed',
      `The conversation of ${agent.id} is already taken over (${holder.id}). Hand it back there first.`,
    )
}

const heldBy = async ({ db }: Context, agent: AgentRow): Promise<number> => {
  const held = (await selectHeldTasks(db, [agent.id])).find(({ task_id }) => task_id === agent.task_id)
  if (!held)
    throw new Refusal('invalid_state', `Agent ${agent.id} holds no task now, so there is nothing to take over.`)
  return held.task_id
}

/** The task of an ended agent, if no other agent has it. */
const releasedBy = async ({ db }: Context, agent: AgentRow): Promise<number> => {
  if (agent.task_id === null)
    throw new Refusal('invalid_state', `Agent ${agent.id} has had no task, so there is nothing to take over.`)
  const why = whyNot('claim', (await findTaskFacts(db, agent.task_id)).facts)
  if (why !== undefined) throw new Refusal('invalid_state', why)
  return agent.task_id
}
