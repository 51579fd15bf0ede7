import { z } from 'zod'
import { selectMessages } from '../../db/messages.ts'
import { findAgent } from '../door/find.ts'
import { agentId } from '../door/inputs.ts'
import { operation } from '../door/operation.ts'
import { messageView, viewMessage } from './messages.ts'

/** The newest messages, which a screen or a terminal can show. */
const MOST = 200

export const listMessages = operation({
  name: 'list_messages',
  summary: 'List the messages to agents with their receipts',
  access: 'read',
  authority: 'planner',
  input: z.strictObject({ agentId: agentId.optional() }),
  output: z.array(messageView),
  run: async ({ db }, { agentId }) => {
    if (agentId !== undefined) await findAgent(db, agentId)
    return (await selectMessages(db, { agentId, limit: MOST })).map(viewMessage)
  },
})
