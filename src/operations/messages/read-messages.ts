import { z } from 'zod'
import { seeMessages, selectMessages, selectSentMail, selectUnreadMail } from '../../db/messages.ts'
import type { MessageRow } from '../../db/schema/agents.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { nameOf } from '../../domain/agent/actor.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { messageView, viewMessage } from './messages.ts'
import { handOver } from './take-messages.ts'

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
