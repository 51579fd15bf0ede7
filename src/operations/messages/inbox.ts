import { z } from 'zod'
import { seeMessages, selectMessages, selectSentMail, selectUnreadMail } from '../../db/messages.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { findAgent } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId } from '../perform/schemas.ts'
import { messageView, viewMessage } from './messages.ts'

// The mail to the person, and the messages of all agents.

/** The newest mail to the person, which a screen or a terminal can show. */
const NEWEST_MAIL = 200

/** The mail to the person. */
export const listMail = operation({
  name: 'list_mail',
  summary: 'List the messages of agents to you',
  access: 'read',
  authority: 'person',
  input: () => z.strictObject({ all: z.boolean().default(false) }),
  output: () => z.array(messageView()),
  run: async ({ db }, { all }) =>
    (all
      ? await selectMessages(db, { agentId: 'human', limit: NEWEST_MAIL })
      : await selectUnreadMail(db, 'human')
    ).map(viewMessage),
})

export const markMailRead = operation({
  name: 'mark_mail_read',
  summary: 'Mark the messages of an agent to you as read',
  access: 'write',
  authority: 'person',
  input: () =>
    z.strictObject({
      agentId,
      upTo: z.int().min(1).optional().describe('The newest message that was shown; all by default'),
    }),
  output: () => z.object({ agentId: z.string(), read: z.array(z.int()) }),
  run: async ({ db, now }, { agentId, upTo }) => {
    const read = (await selectUnreadMail(db, 'human'))
      .filter(({ id, author }) => author === agentId && id <= (upTo ?? id))
      .map(({ id }) => id)
    if (read.length === 0)
      throw new Refusal('not_found', `There is no unread message of ${agentId}. 'aiswarm mail list' lists them.`)
    await seeMessages(db, read, now)
    return { agentId, read }
  },
  subject: ({ agentId, read }) => ({ agentId, details: { messages: read } }),
})

/** The newest messages, which a screen or a terminal can show. */
const MOST = 200

export const listMessages = operation({
  name: 'list_messages',
  summary: 'List the messages to agents, and their mail to each other, with receipts',
  access: 'read',
  authority: 'planner',
  input: () => z.strictObject({ agentId: agentId.optional() }),
  output: () => z.array(messageView()),
  run: async ({ db }, { agentId }) => {
    if (agentId !== undefined) await findAgent(db, agentId)
    const received = await selectMessages(db, { agentId, limit: MOST })
    const sent = agentId === undefined ? [] : await selectSentMail(db, agentId, MOST)
    return [...received, ...sent].sort((a, b) => a.id - b.id).map(viewMessage)
  },
})
