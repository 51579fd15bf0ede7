import { z } from 'zod'
import { checkActsAs } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { findAgent } from '../perform/find.ts'
import { agentId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { agentView, viewAgents } from '../views/agents.ts'
import { endStopped } from '../runs/agents.ts'

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
