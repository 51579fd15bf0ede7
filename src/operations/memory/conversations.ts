import { z } from 'zod'
import { type ConversationRow, conversations, insertConversation, type NewConversation } from '../../db/dual-memory.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'
import {
  jsonOf,
  limit,
  messageId,
  metaData,
  retrieve,
  saidText,
  saysTheSame,
  stored,
  storeOnce,
  userId,
} from './dual-memory.ts'

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

const found = lazyObject(() => ({
  messageId: z.string(),
  at: z.string(),
  userInput: z.string(),
  agentResponse: z.string(),
  metaData,
  hasExecution: z.boolean(),
  /** The rank of the match, lower is better; null if it was requested by id. */
  rank: z.number().nullable(),
}))

export const retrieveConversation = operation({
  name: 'retrieve_conversation',
  summary: 'Find stored conversations by words, time or message id',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      userId,
      query: z.string(),
      /** Requests one by its id; the search words are then ignored. */
      messageId: messageId.optional(),
      from: z.string().optional(),
      until: z.string().optional(),
      limit,
    }),
  output: () => z.object({ total: z.int(), conversations: z.array(found()) }),
  run: async ({ db }, input) => {
    const { total, rows } = await retrieve(db, conversations, input)
    return { total, conversations: rows.map(view) }
  },
})

const view = ({
  rank,
  ...row
}: ConversationRow & { readonly rank: number | null }): z.output<ReturnType<typeof found>> => ({
  messageId: row.message_id,
  at: row.at,
  userInput: row.user_input,
  agentResponse: row.agent_response,
  metaData: JSON.parse(row.meta_data ?? '{}') as Record<string, unknown>,
  hasExecution: row.has_execution === 1,
  rank,
})
