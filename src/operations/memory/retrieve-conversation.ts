import { z } from 'zod'
import { type ConversationRow, conversations } from '../../db/dual-memory.ts'
import { limit, messageId, metaData, retrieve, userId } from './dual-memory.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'

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
