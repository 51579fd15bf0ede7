import { z } from 'zod'
import { conversationPlace, countConversationsOf, selectConversationHeads } from '../../db/dual-memory.ts'
import { messageId, userId } from './dual-memory.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'

const head = lazyObject(() => ({
  messageId: z.string(),
  at: z.string(),
  /** The beginning of the prompt. */
  said: z.string(),
  /** True if its execution succeeded; null if it has none. */
  success: z.boolean().nullable(),
}))

const conversationPage = lazyObject(() => ({
  total: z.int(),
  /** The index of the first one returned, from 0. */
  from: z.int(),
  /** The index of the requested one; null if its id does not exist. */
  place: z.int().nullable(),
  conversations: z.array(head()),
}))
export type ConversationPage = z.output<ReturnType<typeof conversationPage>>

export const listConversations = operation({
  name: 'list_conversations',
  summary: 'List the conversations, newest first, a page at a time',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      userId,
      from: z.int().min(0),
      limit: z.int().min(1).max(500),
      /** The page surrounds this entry if it exists, wherever it is now. */
      around: messageId.optional(),
    }),
  output: conversationPage,
  run: async ({ db }, { userId, from, limit, around }) => {
    const total = await countConversationsOf(db, userId)
    const place = around === undefined ? undefined : await conversationPlace(db, userId, around)
    const wanted = place === undefined ? from : place - Math.floor(limit / 2)
    const first = Math.max(0, Math.min(wanted, total - limit))
    const rows = await selectConversationHeads(db, userId, first, limit)
    return {
      total,
      from: first,
      place: place ?? null,
      conversations: rows.map(({ message_id, at, said, success }) => ({
        messageId: message_id,
        at,
        said,
        success: success === null ? null : success === 1,
      })),
    }
  },
})
