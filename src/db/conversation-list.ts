import { sql } from 'kysely'
import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'

/** A conversation in a list. */
export interface ConversationHead {
  readonly message_id: string
  readonly at: Instant
  /** The beginning of the prompt. */
  readonly said: string
  /** 1 if its execution succeeded; null if it has none. */
  readonly success: number | null
}

/** Characters of a prompt in a list. */
const SHOWN = 300

/** Newest first, from an offset. The page is found in the index; texts are read for its rows only. */
export const selectConversationHeads = async (
  db: Db,
  userId: string,
  from: number,
  limit: number,
): Promise<readonly ConversationHead[]> =>
  (
    await sql<ConversationHead>`
      select conversations.message_id, conversations.at, substr(user_input, 1, ${SHOWN}) as said, executions.success
      from (select id as shown from conversations where user_id = ${userId} order by at desc, id desc limit ${limit} offset ${from}) as page
        join conversations on conversations.id = shown
        join conversation_texts on conversation_id = shown
        left join executions on executions.user_id = conversations.user_id and executions.message_id = conversations.message_id
      order by conversations.at desc, conversations.id desc`.execute(db)
  ).rows

export const countConversationsOf = async (db: Db, userId: string): Promise<number> =>
  (await sql<{ found: number }>`select count(*) as found from conversations where user_id = ${userId}`.execute(db))
    .rows[0]!.found

/** The number of the user's conversations that are newer than this one; undefined if the id does not exist. */
export const conversationPlace = async (db: Db, userId: string, messageId: string): Promise<number | undefined> => {
  const own = await db
    .selectFrom('conversations')
    .where('user_id', '=', userId)
    .where('message_id', '=', messageId)
    .select(['id', 'at'])
    .executeTakeFirst()
  if (!own) return undefined
  return (
    await sql<{
      newer: number
    }>`select count(*) as newer from conversations where user_id = ${userId} and (at, id) > (${own.at}, ${own.id})`.execute(
      db,
    )
  ).rows[0]!.newer
}
