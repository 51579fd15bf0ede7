import { z } from 'zod'
import { checkActsAs } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { findAgent } from '../door/find.ts'
import { agentId } from '../door/inputs.ts'
import { operation } from '../door/operation.ts'
import { agentView, viewAgents } from '../views/views.ts'
import { endStopped } from './steps/stop-agents.ts'

export const deregisterAgent = operation({
  name: 'deregister_agent',
  summary: 'Sign an agent off: what it holds goes back on the board',
  access: 'write',
  authority: 'agent',
  grave: true,
  input: z.strictObject({ agentId }),
  output: agentView,
  run: async (context, input) => {
    const { db, actor } = context
    checkActsAs(actor, input.agentId)
    const agent = await findAgent(db, input.agentId)
    if (agent.status === 'terminated') throw new Refusal('invalid_state', `Agent ${agent.id} has already ended.`)
    if (agent.process === 'wanted' || agent.process === 'started') {
      throw new Refusal('invalid_state', `Agent ${agent.id} runs as a process of aiswarm; 'aiswarm agent terminate ${agent.id}' stops it.`)
    }
    await endStopped(context, agent, 'it signed off')
    return (await viewAgents(db, [await findAgent(db, agent.id)]))[0]!
  },
  subject: (agent) => ({ agentId: agent.id }),
})
