import { z } from 'zod'
import { type ConversationRow, countConversations, searchConversations, selectConversation } from '../../db/conversations.ts'
import { limit, messageId, metaData, userId } from './dual-memory.ts'
import { operation } from '../door/operation.ts'

const found = z.object({
  messageId: z.string(),
  at: z.string(),
  userInput: z.string(),
  agentResponse: z.string(),
  metaData,
  hasExecution: z.boolean(),
  /** The rank of the match, lower is better; null if it was requested by id. */
  rank: z.number().nullable(),
})

export const retrieveConversation = operation({
  name: 'retrieve_conversation',
  summary: 'Find stored conversations by words, time or message id',
  access: 'read',
  authority: 'anyone',
  input: z.strictObject({
    userId,
    query: z.string(),
    /** Requests one by its id; the search words are then ignored. */
    messageId: messageId.optional(),
    from: z.string().optional(),
    until: z.string().optional(),
    limit,
  }),
  output: z.object({ total: z.int(), conversations: z.array(found) }),
  run: async ({ db }, { messageId, limit, ...search }) => {
    if (messageId !== undefined) {
      const row = await selectConversation(db, search.userId, messageId)
      const inTime = row !== undefined && row.at >= (search.from ?? row.at) && (search.until === undefined || row.at < search.until)
      return inTime ? { total: 1, conversations: [view(row, null)] } : { total: 0, conversations: [] }
    }
    const rows = await searchConversations(db, search, limit)
    return { total: rows.length < limit ? rows.length : await countConversations(db, search), conversations: rows.map((row) => view(row, row.rank)) }
  },
})

const view = (row: ConversationRow, rank: number | null): z.output<typeof found> => ({
  messageId: row.message_id,
  at: row.at,
  userInput: row.user_input,
  agentResponse: row.agent_response,
  metaData: JSON.parse(row.meta_data ?? '{}') as Record<string, unknown>,
  hasExecution: row.has_execution === 1,
  rank,
})
