import { z } from 'zod'
import { extendLeases } from '../db/tasks.ts'
import { checkActsAs } from '../domain/actor.ts'
import { later } from '../domain/time.ts'
import { findAgent, findLiveAgent } from './kernel/find.ts'
import { agentId } from './kernel/inputs.ts'
import { operation } from './kernel/operation.ts'
import { signOfLife } from './kernel/task-steps.ts'
import { agentView, viewAgents } from './kernel/views.ts'

export const heartbeat = operation({
  name: 'heartbeat',
  summary: 'Tell that the agent is alive; extends the leases of what it holds',
  access: 'beat',
  authority: 'agent',
  input: z.strictObject({ agentId }),
  output: agentView,
  run: async (context, input) => {
    const { db, now, settings, actor } = context
    checkActsAs(actor, input.agentId)
    await signOfLife(context, await findLiveAgent(db, input.agentId))
    await extendLeases(db, input.agentId, later(now, settings.lease.ttl))
    return (await viewAgents(db, [await findAgent(db, input.agentId)]))[0]!
  },
})
