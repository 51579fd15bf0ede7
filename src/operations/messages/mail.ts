import { z } from 'zod'
import { selectAgent, selectAgents, selectPersonas } from '../../db/agents.ts'
import {
  insertMessage,
  seeMessages,
  selectMessage,
  selectMessages,
  selectSentMail,
  selectUnreadMail,
} from '../../db/messages.ts'
import type { AgentRow, MessageRow } from '../../db/schema/agents.ts'
import { isTrusted, nameOf } from '../../domain/agent/actor.ts'
import { addressOf, LONGEST_MAIL, MAIL_SPAN, MOST_MAIL, MOST_UNREAD } from '../../domain/agent/messages.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { later } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import { findAgent, findPersona } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { handOver } from './handover.ts'
import { messageView, type MessageView, viewMessage } from './messages.ts'
import { messageText, whyNotNow } from './say.ts'

// Mail of agents: sent to other agents, to a planner or to the person, and read.

/** How much of the words the trail repeats (characters). */
const EXCERPT = 200

const PERSON = 'human'

export const sendMessage = operation({
  name: 'send_message',
  summary: 'Send a message to an agent, a persona, your planner or the person',
  access: 'write',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      to: z.string().min(1).max(60).describe('Agent id, persona:NAME, planner or person'),
      text: messageText(LONGEST_MAIL),
    }),
  output: () => z.array(messageView()),
  run: async (context, { to, text }) => {
    refuseStranger(context)
    const readers = await readersOf(context, to)
    await refuseFlood(context, readers.length)
    const sent: MessageView[] = []
    for (const reader of readers) sent.push(await deliver(context, reader, to, text))
    return sent
  },
  subject: (messages, { to, text }) => ({
    agentId: messages.length === 1 && messages[0]!.agentId !== PERSON ? messages[0]!.agentId : null,
    details: {
      messages: messages.map(({ id }) => id),
      to: to === 'human' ? 'person' : to,
      text: text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text,
    },
  }),
})

const refuseStranger = ({ actor }: Context): void => {
  if (actor.kind === 'client' && actor.role !== 'planner')
    throw new Refusal(
      'not_allowed',
      `${nameOf(actor)} may not send messages; only an agent, a planner or a person may.`,
    )
}

/** A reader is an agent, or undefined for the person. */
const readersOf = async (context: Context, to: string): Promise<readonly (AgentRow | undefined)[]> => {
  const { db, actor } = context
  const address = addressOf(to)
  switch (address.kind) {
    case 'person':
      if (isTrusted(actor) || actor.kind === 'client')
        throw new Refusal('invalid_input', 'This connection belongs to the person. Name an agent.')
      return [undefined]
    case 'planner':
      return plannersOf(context)
    case 'persona': {
      await findPersona(db, address.personaId)
      const found = (await reachable(context)).filter(({ persona_id }) => persona_id === address.personaId)
      if (found.length > 0) return found
      throw new Refusal(
        'invalid_state',
        `No other agent of persona ${address.personaId} works now. Write it into a task for that persona.`,
      )
    }
    case 'agent': {
      const agent = await findAgent(db, address.agentId)
      const why = agent.id === actor.id ? `Agent ${agent.id} is you.` : whyNotNow(context, agent)
      if (why !== undefined) throw new Refusal('invalid_state', why)
      return [agent]
    }
  }
}

/** The agent that spawned the author, otherwise every planner that works; without one the person gets it. */
const plannersOf = async (context: Context): Promise<readonly (AgentRow | undefined)[]> => {
  const { db, actor } = context
  const parent = (await selectAgent(db, actor.id))?.parent_agent_id
  const others = await reachable(context)
  const own = others.filter(({ id }) => id === parent)
  if (own.length > 0) return own
  const planning = new Set((await selectPersonas(db)).flatMap(({ id, role }) => (role === 'planner' ? [id] : [])))
  const planners = others.filter(({ persona_id }) => planning.has(persona_id))
  if (planners.length === 0 && actor.kind === 'client')
    throw new Refusal('invalid_state', 'No other planner works now. Name an agent.')
  return planners.length > 0 ? planners : [undefined]
}

/** The other agents that can get a message now. */
const reachable = async (context: Context): Promise<readonly AgentRow[]> =>
  (await selectAgents(context.db, { live: true })).filter(
    (agent) => agent.id !== context.actor.id && whyNotNow(context, agent) === undefined,
  )

const refuseFlood = async ({ db, now, actor }: Context, more: number): Promise<void> => {
  if (isTrusted(actor)) return
  const since = later(now, -MAIL_SPAN)
  const sent = (await selectSentMail(db, actor.id, MOST_MAIL)).filter(({ said_at }) => said_at > since)
  if (sent.length + more > MOST_MAIL)
    throw new Refusal(
      'rate_limited',
      `${actor.id} has sent ${sent.length} messages in the last 10 minutes, and at most ${MOST_MAIL} are allowed. Continue your work, and send later.`,
    )
}

const deliver = async (context: Context, reader: AgentRow | undefined, to: string, body: string) => {
  const { db, now, actor } = context
  const readerId = reader?.id ?? PERSON
  if ((await selectUnreadMail(db, readerId)).length >= MOST_UNREAD)
    throw new Refusal(
      'rate_limited',
      `${reader?.id ?? 'The person'} has ${MOST_UNREAD} unread messages. Send later, or write it into a task.`,
    )
  const id = await insertMessage(db, {
    kind: 'say',
    agent_id: readerId,
    task_id: reader?.task_id ?? (await selectAgent(db, actor.id))?.task_id ?? null,
    author: actor.id,
    author_kind: actor.kind === 'agent' || actor.kind === 'client' ? actor.kind : 'person',
    body,
    delivery: 'now',
    ...(reader === undefined ? {} : { run_of: reader.id, run: reader.run }),
    said_at: now,
    sent_to: to === PERSON ? 'person' : to,
  })
  return viewMessage((await selectMessage(db, id))!)
}

/** The newest messages of each direction. */
const MOST = 20

export const readMessages = operation({
  name: 'read_messages',
  summary: 'Read messages to you, and receipts of yours',
  access: 'beat',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () => z.object({ received: z.array(messageView()), sent: z.array(messageView()) }),
  run: async (context) => {
    const { db, actor } = context
    const received = await receivedBy(context)
    const sent = await selectSentMail(db, actor.id, MOST)
    return { received: received.map(viewMessage), sent: sent.map(viewMessage) }
  },
})

/**
 * The newest messages to the actor, with those that it gets now. A program that plans for the person reads what was sent
 * to the planner; what was sent to the person is read by the person alone.
 */
const receivedBy = async (context: Context): Promise<readonly MessageRow[]> => {
  const { db, now, actor } = context
  if (actor.kind === 'agent') {
    await handOver(context)
    return (await selectMessages(db, { agentId: actor.id, limit: MOST })).filter(({ status }) => status !== 'queued')
  }
  if (actor.kind === 'client' && actor.role !== 'planner')
    throw new Refusal('not_allowed', `${nameOf(actor)} has no messages; only an agent or a planner has.`)
  const unread = (await selectUnreadMail(db, 'human')).filter(
    ({ sent_to }) => actor.kind !== 'client' || sent_to === 'planner',
  )
  if (actor.kind === 'client')
    await seeMessages(
      db,
      unread.map(({ id }) => id),
      now,
    )
  return unread
}
