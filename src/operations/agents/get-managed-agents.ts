import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { agentId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { agentView, viewAgents } from '../views/agents.ts'

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
