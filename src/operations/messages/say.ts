import { z } from 'zod'
import type { AgentRow } from '../../db/schema/agents.ts'
import { isTrusted } from '../../domain/agent/actor.ts'
import { deliveries } from '../../domain/agent/messages.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from '../perform/core.ts'
import { findAgent } from '../perform/find.ts'
import { agentId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { addMessage, messageText, speechOf } from './add-message.ts'
import { messageView } from './messages.ts'

/** The most characters of a message: longer texts belong in a file or a task. */
const LONGEST = 20_000

export const say = operation({
  name: 'say_to_agents',
  summary: 'Say something to agents: now, at the end of their turn, or with the next attempt',
  access: 'write',
  authority: 'planner',
  input: () =>
    z.strictObject({
      agentIds: z.array(agentId).min(1, 'name an agent').max(100).describe('Agents that get the message'),
      text: messageText(LONGEST),
      when: z.enum(deliveries).default('now').describe('When they get it'),
    }),
  output: () => z.array(messageView()),
  run: async (context, { agentIds, text, when }) => {
    const messages = []
    for (const id of new Set(agentIds)) {
      const agent = await findAgent(context.db, id)
      refuseForeign(context, agent)
      messages.push(await addMessage(context, agent, text, when))
    }
    return messages
  },
  subject: (messages, { when }) => ({
    agentId: messages.length === 1 ? messages[0]!.agentId : null,
    taskId: messages.length === 1 ? messages[0]!.taskId : null,
    details: { messages: messages.map(({ id }) => id), agents: messages.map(({ agentId }) => agentId), when },
  }),
})

export const stopTurn = operation({
  name: 'stop_turn',
  summary: 'Stop the present turn of an agent; its run stays and waits for a message',
  access: 'write',
  authority: 'planner',
  input: () => z.strictObject({ agentId }),
  output: messageView,
  run: async (context, input) => {
    const agent = await findAgent(context.db, input.agentId)
    refuseForeign(context, agent)
    if (!['inject', 'restart'].includes(speechOf(context, agent)))
      throw new Refusal(
        'invalid_state',
        `The kind ${agent.kind} of ${agent.id} cannot stop a turn alone. Terminate the agent instead.`,
      )
    return addMessage(context, agent, '', 'now', 'stop')
  },
  subject: (message) => ({ agentId: message.agentId, taskId: message.taskId, details: { message: message.id } }),
})

/** An agent that plans speaks to its own workers. */
const refuseForeign = ({ actor }: Context, agent: AgentRow): void => {
  if (!isTrusted(actor) && agent.parent_agent_id !== actor.id)
    throw new Refusal(
      'not_allowed',
      `${actor.id} may speak only to agents that it spawned, and ${agent.id} is not one of them.`,
    )
}
