import { z } from 'zod'
import { insertMessage, selectMessage } from '../../db/messages.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import { isTrusted } from '../../domain/agent/actor.ts'
import { deliveries, type Delivery, nowMeans, type Speech } from '../../domain/agent/messages.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from '../perform/core.ts'
import { findAgent } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId, text } from '../perform/schemas.ts'
import { messageView, viewMessage } from './messages.ts'

// A person or a planner says something to agents.

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

/** The words of a message, of at most so many characters. */
export const messageText = (longest: number) =>
  text(longest)
    .transform((words) => words.replaceAll('\r\n', '\n').trim())
    .refine((words) => words !== '', 'a message is required')
    .refine(isPlain, 'it has control characters; remove them')

/** Control characters other than tab and line break: a terminal's, or a paste that went wrong. */
const isPlain = (words: string): boolean => !/(?![\t\n])\p{Cc}/u.test(words)

const speechOf = ({ speech }: Context, agent: AgentRow): Speech => speech?.(agent.kind) ?? 'tools'

/** Queues a message to an agent; refuses if it cannot reach it. */
export const addMessage = async (
  context: Context,
  agent: AgentRow,
  body: string,
  delivery: Delivery,
  kind: 'say' | 'stop' = 'say',
) => {
  const { db, now, actor } = context
  const why = delivery === 'attempt' ? whyNoAttempt(agent) : whyNotNow(context, agent)
  if (why !== undefined) throw new Refusal('invalid_state', why)
  const id = await insertMessage(db, {
    kind,
    agent_id: agent.id,
    task_id: agent.task_id,
    author: actor.id,
    author_kind: actor.kind === 'agent' || actor.kind === 'client' ? actor.kind : 'person',
    body,
    delivery,
    ...(delivery === 'attempt' ? {} : { run_of: agent.id, run: agent.run }),
    said_at: now,
  })
  return viewMessage((await selectMessage(db, id))!)
}

const whyNoAttempt = (agent: AgentRow): string | undefined =>
  agent.task_id === null
    ? `Agent ${agent.id} has no task, so there is no next attempt. Write it into a task.`
    : undefined

/** The reason why a message cannot be handed over to the present run of an agent. */
export const whyNotNow = (context: Context, agent: AgentRow): string | undefined => {
  if (agent.status === 'terminated')
    return `Agent ${agent.id} has ended. Say it with the next attempt of its task, or to another agent.`
  if (agent.stop_requested_at !== null) return `Agent ${agent.id} is being stopped.`
  if (agent.process === 'waiting') return `Agent ${agent.id} has no task now, so nothing can be said to it.`
  return speechOf(context, agent) === 'none' ? `Agent ${agent.id}: ${nowMeans.none}` : undefined
}
