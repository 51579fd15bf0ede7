import { z } from 'zod'
import { type ConversationRow, conversations, insertConversation, type NewConversation } from '../../db/dual-memory.ts'
import { jsonOf, messageId, metaData, saidText, saysTheSame, stored, storeOnce, userId } from './dual-memory.ts'
import { operation } from '../perform/operation.ts'

export const addConversation = operation({
  name: 'add_conversation',
  summary: 'Store what a user said and what the agent answered',
  access: 'write',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      userId,
      messageId,
      userInput: saidText,
      agentResponse: saidText,
      at: z.string().optional(),
      metaData: metaData.optional(),
    }),
  output: stored,
  run: async ({ db, now }, { userId, messageId, userInput, agentResponse, at, metaData }) => {
    const row = {
      user_id: userId,
      message_id: messageId,
      at: at ?? now,
      recorded_at: now,
      user_input: userInput,
      agent_response: agentResponse,
      meta_data: jsonOf(metaData),
    }
    return storeOnce(db, 'conversation', row, at, { insert: insertConversation, reader: conversations, isSame })
  },
  subject: ({ stored }) => (stored ? {} : null),
})

const isSame = (first: ConversationRow, row: NewConversation): boolean =>
  first.user_input === row.user_input &&
  first.agent_response === row.agent_response &&
  saysTheSame(first.meta_data, row.meta_data)
