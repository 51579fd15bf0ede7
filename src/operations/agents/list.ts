import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { findAgent, findPersona } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId, worktreeName } from '../perform/schemas.ts'
import { agentView, viewAgents } from '../views/agents.ts'

export const getAgent = operation({
  name: 'get_agent',
  summary: 'Show one agent',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ agentId }),
  output: agentView,
  run: async ({ db }, { agentId }) => (await viewAgents(db, [await findAgent(db, agentId)]))[0]!,
})

export const listAgents = operation({
  name: 'list_agents',
  summary: 'List the agents that have not ended, or all of them',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ all: z.boolean().default(false), worktree: worktreeName.optional() }),
  output: () => z.array(agentView()),
  run: async ({ db }, { all, worktree }) =>
    viewAgents(db, await selectAgents(db, { live: !all, ...(worktree === undefined ? {} : { worktree }) })),
})

export const getManagedAgents = operation({
  name: 'get_managed_agents',
  summary: 'List the agents that a planner spawned',
  access: 'read',
  authority: 'planner',
  input: () => z.strictObject({ plannerAgentId: agentId.optional() }),
  output: () => z.array(agentView()),
  run: async ({ db, actor }, { plannerAgentId }) => {
    if (actor.kind === 'agent' && plannerAgentId !== undefined && plannerAgentId !== actor.id)
      throw new Refusal('not_allowed', `${actor.id} may list only the agents that it spawned.`)
    return viewAgents(db, await selectAgents(db, { parentId: plannerAgentId ?? actor.id }))
  },
})

export const readIdentity = operation({
  name: 'read_identity',
  summary: 'Read what a connection must prove to act as an agent',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ agentId }),
  output: () =>
    z.object({
      role: z.enum(['planner', 'worker', 'person']),
      worktree: z.string().nullable(),
      tokenHash: z.string().nullable(),
    }),
  run: async ({ db }, input) => {
    const agent = await findAgent(db, input.agentId)
    const { role } = await findPersona(db, agent.persona_id)
    return {
      role,
      worktree: agent.assigned_worktree,
      tokenHash: agent.status === 'terminated' ? null : agent.token_hash,
    }
  },
})
