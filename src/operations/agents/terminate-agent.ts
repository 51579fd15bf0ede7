import { z } from 'zod'
import { changeAgent } from '../../db/agents.ts'
import { GONE } from '../../domain/agent/agent.ts'
import { isTrusted, nameOf } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { endStopped } from '../runs/agents.ts'
import { findAgent, must } from '../perform/find.ts'
import { agentId, text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { agentView, viewAgents } from '../views/agents.ts'

export const terminateAgent = operation({
  name: 'terminate_agent',
  summary: 'Stop an agent: its processes end and its tasks become pending again',
  access: 'write',
  authority: 'planner',
  grave: true,
  input: () => z.strictObject({ agentId, reason: text(2000).optional(), gone: z.boolean().optional() }),
  output: agentView,
  run: async (context, input) => {
    const { db, actor, now } = context
    const agent = await findAgent(db, input.agentId)
    if (agent.status === 'terminated') throw new Refusal('invalid_state', `Agent ${agent.id} has already ended.`)
    if (!isTrusted(actor) && agent.parent_agent_id !== actor.id)
      throw new Refusal(
        'not_allowed',
        `${actor.id} may stop only agents that it spawned, and ${agent.id} is not one of them.`,
      )
    if (input.gone && !isTrusted(actor))
      throw new Refusal('not_allowed', `${nameOf(actor)} may not declare a host gone; only a person may do it.`)
    const reason = input.gone ? GONE : (input.reason ?? `stopped by ${actor.id}`)
    // A process may run or be about to: the wish is recorded, and the process that stops it records the end.
    if (agent.process === 'wanted' || agent.process === 'started') {
      if (agent.stop_requested_at === null || input.gone)
        must(
          await changeAgent(db, agent.id, { run: agent.run }, { stop_requested_at: now, stop_reason: reason }),
          `Agent ${agent.id}`,
        )
    } else {
      await endStopped(context, agent, reason)
    }
    return (await viewAgents(db, [await findAgent(db, agent.id)]))[0]!
  },
  subject: (agent, input) => ({
    agentId: agent.id,
    details: { reason: input.reason ?? null, ended: agent.status === 'terminated' },
  }),
  wish: (agent) => (agent.status === 'terminated' ? undefined : { kind: 'stop_agent', agentId: agent.id }),
  reread: async (context, agent) => (await viewAgents(context.db, [await findAgent(context.db, agent.id)]))[0]!,
})
