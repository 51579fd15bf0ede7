import { z } from 'zod'
import { selectMessages, selectSentMail } from '../../db/messages.ts'
import { findAgent } from '../perform/find.ts'
import { agentId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { messageView, viewMessage } from './messages.ts'

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
