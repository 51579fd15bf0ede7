import { z } from 'zod'
import { insertConversation, selectConversation } from '../../db/conversations.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { isTimeOf, jsonOf, messageId, metaData, saidText, saysTheSame, stored, userId } from './dual-memory.ts'
import { operation } from '../door/operation.ts'

export const addConversation = operation({
  name: 'add_conversation',
  summary: 'Store what a user said and what the agent answered',
  access: 'write',
  authority: 'anyone',
  input: z.strictObject({ userId, messageId, userInput: saidText, agentResponse: saidText, at: z.string().optional(), metaData: metaData.optional() }),
  output: stored,
  run: async ({ db, now }, { userId, messageId, userInput, agentResponse, at, metaData }) => {
    const row = { user_id: userId, message_id: messageId, at: at ?? now, recorded_at: now, user_input: userInput, agent_response: agentResponse, meta_data: jsonOf(metaData) }
    if (await insertConversation(db, row)) return { stored: true, at: row.at }
    const first = (await selectConversation(db, userId, messageId))!
    const same = first.user_input === userInput && first.agent_response === agentResponse && saysTheSame(first.meta_data, row.meta_data) && isTimeOf(first, at)
    if (!same) throw new Refusal('already_exists', `Another conversation is stored under the message id ${messageId} and is not changed. Use another id.`)
    return { stored: false, at: first.at }
  },
  subject: ({ stored }) => (stored ? {} : null),
})
