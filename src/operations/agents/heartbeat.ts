import { z } from 'zod'
import { extendLeases } from '../../db/leases.ts'
import { checkActsAs } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { findActing, findAgent } from '../perform/find.ts'
import { ofActing, operation } from '../perform/operation.ts'
import { agentId } from '../perform/schemas.ts'
import { endStopped } from '../runs/agents.ts'
import { signOfLife } from '../tasks/attempts.ts'
import { agentView, viewAgents } from '../views/agents.ts'

// An agent that registered itself says that it is alive, and signs off.

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

export const deregisterAgent = operation({
  name: 'deregister_agent',
  summary: 'Deregister an agent; its tasks become pending again',
  access: 'write',
  authority: 'agent',
  grave: true,
  input: () => z.strictObject({ agentId }),
  output: agentView,
  run: async (context, input) => {
    const { db, actor } = context
    checkActsAs(actor, input.agentId)
    const agent = await findAgent(db, input.agentId)
    if (agent.status === 'terminated') throw new Refusal('invalid_state', `Agent ${agent.id} has already ended.`)
    if (agent.process === 'wanted' || agent.process === 'started') {
      throw new Refusal(
        'invalid_state',
        `Agent ${agent.id} is a process of aiswarm. 'aiswarm agent terminate ${agent.id}' stops it.`,
      )
    }
    await endStopped(context, agent, 'it deregistered')
    return (await viewAgents(db, [await findAgent(db, agent.id)]))[0]!
  },
  subject: (agent) => ({ agentId: agent.id }),
})
