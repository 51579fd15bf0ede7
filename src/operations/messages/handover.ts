import { z } from 'zod'
import { moveMessage, seeMessages, selectJournals, selectOpenMessages } from '../../db/messages.ts'
import type { MessageRow } from '../../db/schema/agents.ts'
import type { Context } from '../perform/core.ts'
import { findActing } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { messageView, viewMessage } from './messages.ts'

/**
 * The messages that an agent gets with the answer of a tool. Its next call proves that it has read those of the last
 * answer. An agent with a journal gets what is said to it there.
 */
export const takeMessages = operation({
  name: 'take_messages',
  summary: 'Hand over the messages to an agent that is reached through its tools only',
  access: 'beat',
  authority: 'agent',
  input: () => z.strictObject({}),
  output: () => z.array(messageView()),
  run: async (context) => (await handOver(context)).map(viewMessage),
})

/** Marks what the agent has read by now, and hands over what waits. */
export const handOver = async (context: Context): Promise<readonly MessageRow[]> => {
  const { db, now } = context
  const open = await openByTools(context)
  await see(context, open)
  const due = open.filter(({ status, kind }) => status === 'queued' && kind === 'say')
  for (const { id } of due) await moveMessage(db, id, 'hand_over', { handed_over_at: now })
  return due
}

/** A call with which an agent ends its attempt is its last, and proves as much as any other. */
export const seeBeforeEnd = async (context: Context): Promise<void> => {
  if (context.actor.kind === 'agent') await see(context, await openByTools(context))
}

const see = async ({ db, now }: Context, open: readonly MessageRow[]): Promise<void> => {
  const read = open.filter(({ status }) => status === 'handed_over').map(({ id }) => id)
  if (read.length > 0) await seeMessages(db, read, now)
}

/** The open messages that reach the calling agent through its tools: mail always does, and all if it has no journal. */
const openByTools = async (context: Context): Promise<readonly MessageRow[]> => {
  const { db } = context
  const agent = await findActing(context, undefined)
  const open = (await selectOpenMessages(db, agent.id, agent.run)).filter(({ delivery }) => delivery !== 'attempt')
  if (open.length === 0) return open
  const journal = (await selectJournals(db, [agent.id])).has(`${agent.id}.${agent.run}`)
  return journal ? open.filter(({ sent_to }) => sent_to !== null) : open
}

/** True if an agent may have messages; a read, so that most calls of tools write nothing. */
export const hasMessages = operation({
  name: 'has_messages',
  summary: 'Tell whether there is a message for the calling agent',
  access: 'read',
  authority: 'agent',
  input: () => z.strictObject({}),
  output: () => z.boolean(),
  run: async (context) => (await openByTools(context)).length > 0,
})
