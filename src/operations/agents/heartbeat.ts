import { z } from 'zod'
import { extendLeases } from '../../db/leases.ts'
import { findActing, findAgent } from '../perform/find.ts'
import { agentId } from '../perform/schemas.ts'
import { ofActing, operation } from '../perform/operation.ts'
import { signOfLife } from '../tasks/attempts.ts'
import { agentView, viewAgents } from '../views/agents.ts'

export const heartbeat = operation({
  name: 'heartbeat',
  summary: 'Send a heartbeat of an agent; extends the leases of its tasks',
  access: 'beat',
  authority: 'agent',
  scope: ofActing,
  input: () => z.strictObject({ agentId: agentId.optional() }),
  output: agentView,
  run: async (context, input) => {
    const { db, settings } = context
    const agent = await findActing(context, input.agentId)
    await signOfLife(context, agent)
    await extendLeases(db, [agent.id], context, settings.lease.ttl)
    return (await viewAgents(db, [await findAgent(db, agent.id)]))[0]!
  },
})
