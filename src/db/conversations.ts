import { type RawBuilder, sql } from 'kysely'
import type { Instant } from '../domain/words/time.ts'
import { holdsWords } from './engine/full-text.ts'
import type { Json } from './schema/json.ts'
import type { Db } from './engine/sqlite.ts'
import { statement } from './engine/statement.ts'

/** A prompt and its answer. `meta_data` is null if there was none. */
export interface NewConversation {
  readonly user_id: string
  readonly message_id: string
  readonly at: Instant
  readonly recorded_at: Instant
  readonly user_input: string
  readonly agent_response: string
  readonly meta_data: Json | null
}

export interface ConversationSearch {
  readonly userId: string
  /** Every word must occur. */
  readonly query: string
  readonly from?: Instant | undefined
  /** The end of the range, exclusive. */
  readonly until?: Instant | undefined
}

export interface ConversationRow {
  readonly message_id: string
  readonly at: Instant
  readonly user_input: string
  readonly agent_response: string
  readonly meta_data: Json | null
  readonly has_execution: number
}

/** False if the user already has a conversation of this message, which is kept. */
export const insertConversation = async (db: Db, { user_input, agent_response, meta_data, ...head }: NewConversation): Promise<boolean> => {
  const [inserted] = (await insertHead(db, head)).rows
  if (!inserted) return false
  await insertTexts(db, { conversation_id: inserted.id, user_input, agent_response, meta_data })
  return true
}

const insertHead = statement((db, head: Omit<NewConversation, TextColumn>) =>
  db
    .insertInto('conversations')
    .values(head)
    .onConflict((conflict) => conflict.columns(['user_id', 'message_id']).doNothing())
    .returning('id'),
)

const insertTexts = statement((db, texts: Pick<NewConversation, TextColumn> & { conversation_id: number }) => db.insertInto('conversation_texts').values(texts))

type TextColumn = 'user_input' | 'agent_response' | 'meta_data'

export const selectConversation = async (db: Db, userId: string, messageId: string): Promise<ConversationRow | undefined> =>
  (
    await sql<ConversationRow>`
      select ${shown} from conversations join conversation_texts on conversation_id = conversations.id
      where user_id = ${userId} and message_id = ${messageId}`.execute(db)
  ).rows[0]

/** The best first, then the newest; a lower `rank` is better. Reads the texts of the returned rows only. */
export const searchConversations = async (db: Db, search: ConversationSearch, limit: number): Promise<readonly (ConversationRow & { readonly rank: number })[]> =>
  (
    await sql<ConversationRow & { rank: number }>`
      select ${shown}, rank from
        (select conversations.id as best, rank from ${found(search)} order by rank, at desc, conversations.id desc limit ${limit})
        join conversations on conversations.id = best
        join conversation_texts on conversation_id = best
      order by rank, at desc, conversations.id desc`.execute(db)
  ).rows

export const countConversations = async (db: Db, search: ConversationSearch): Promise<number> =>
  (await sql<{ found: number }>`select count(*) as found from ${found(search)}`.execute(db)).rows[0]!.found

// Raw statements, because Kysely takes longer to build them than SQLite needs for a rare word (0.17 against 0.09 ms).

const found = ({ userId, query, from, until }: ConversationSearch): RawBuilder<unknown> =>
  sql`conversation_words join conversations on conversations.id = conversation_words.rowid
    where ${holdsWords('conversation_words', query)} and user_id = ${userId} ${from === undefined ? nothing : sql` and at >= ${from}`}${until === undefined ? nothing : sql` and at < ${until}`}`

const nothing = sql``

const shown = sql.raw(`message_id, at, user_input, agent_response, meta_data,
  exists (select 1 from executions where executions.user_id = conversations.user_id and executions.message_id = conversations.message_id) as has_execution`)
