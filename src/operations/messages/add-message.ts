import { insertMessage, selectMessage } from '../../db/messages.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import { type Delivery, nowMeans, type Speech } from '../../domain/agent/messages.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from '../perform/core.ts'
import { text } from '../perform/schemas.ts'
import { viewMessage } from './messages.ts'

/** The words of a message, of at most so many characters. */
export const messageText = (longest: number) =>
  text(longest)
    .transform((words) => words.replaceAll('\r\n', '\n').trim())
    .refine((words) => words !== '', 'a message is required')
    .refine(isPlain, 'it has control characters; remove them')

/** Control characters other than tab and line break: a terminal's, or a paste that went wrong. */
const isPlain = (words: string): boolean => !/(?![\t\n])\p{Cc}/u.test(words)

export const speechOf = ({ speech }: Context, agent: AgentRow): Speech => speech?.(agent.kind) ?? 'tools'

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
