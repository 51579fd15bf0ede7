import type { Instant } from '../domain/words/time.ts'
import { recordReader } from './memory-records.ts'
import type { Json } from './schema/json.ts'
import { type Db, insertsInOne } from './engine/db.ts'
import { together } from './engine/together.ts'
import { statement } from './engine/statement.ts'
import { streamOf } from './engine/tokens.ts'

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

export interface ConversationRow {
  readonly message_id: string
  readonly at: Instant
  readonly user_input: string
  readonly agent_response: string
  readonly meta_data: Json | null
  readonly has_execution: number
}

/** False if the user already has a conversation of this message, which is kept. */
export const insertConversation = async (
  db: Db,
  { user_input, agent_response, meta_data, ...head }: NewConversation,
): Promise<boolean> => {
  if (insertsInOne(db)) {
    const { rowid: _, ...words } = conversationWords(0, { user_input, agent_response })
    return (
      (
        await insertConversationAtOnce(db, {
          ...head,
          user_input,
          agent_response,
          meta_data,
          user_input_words: words.user_input,
          agent_response_words: words.agent_response,
        })
      ).rows.length > 0
    )
  }
  const [inserted] = (await insertConversationHead(db, head)).rows
  if (!inserted) return false
  await together(
    insertConversationTexts(db, { conversation_id: inserted.id, user_input, agent_response, meta_data }),
    insertConversationWords(db, conversationWords(inserted.id, { user_input, agent_response })),
  )
  return true
}

/** The three rows in one statement. */
const insertConversationAtOnce = statement(
  (
    db,
    {
      user_input,
      agent_response,
      meta_data,
      user_input_words,
      agent_response_words,
      ...head
    }: NewConversation & { user_input_words: string; agent_response_words: string },
  ) =>
    db
      .with('head', (db) =>
        db
          .insertInto('conversations')
          .values(head)
          .onConflict((conflict) => conflict.columns(['user_id', 'message_id']).doNothing())
          .returning('id'),
      )
      .with('texts', (db) =>
        db
          .insertInto('conversation_texts')
          .columns(['conversation_id', 'user_input', 'agent_response', 'meta_data'])
          .expression((eb) =>
            eb
              .selectFrom('head')
              .select([
                'head.id as conversation_id',
                eb.val(user_input).as('user_input'),
                eb.val(agent_response).as('agent_response'),
                eb.val(meta_data).as('meta_data'),
              ]),
          ),
      )
      .insertInto('conversation_words')
      .columns(['rowid', 'user_input', 'agent_response'])
      .expression((eb) =>
        eb
          .selectFrom('head')
          .select([
            'head.id as rowid',
            eb.val(user_input_words).as('user_input'),
            eb.val(agent_response_words).as('agent_response'),
          ]),
      )
      .returning('rowid'),
)

const insertConversationHead = statement((db, head: Omit<NewConversation, ConversationText>) =>
  db
    .insertInto('conversations')
    .values(head)
    .onConflict((conflict) => conflict.columns(['user_id', 'message_id']).doNothing())
    .returning('id'),
)

const insertConversationTexts = statement(
  (db, texts: Pick<NewConversation, ConversationText> & { conversation_id: number }) =>
    db.insertInto('conversation_texts').values(texts),
)

const insertConversationWords = statement((db, words: ReturnType<typeof conversationWords>) =>
  db.insertInto('conversation_words').values(words),
)

/** The row of the full-text table for the texts of a conversation. */
export const conversationWords = (rowid: number, texts: Pick<NewConversation, 'user_input' | 'agent_response'>) => ({
  rowid,
  user_input: streamOf(texts.user_input),
  agent_response: streamOf(texts.agent_response),
})

type ConversationText = 'user_input' | 'agent_response' | 'meta_data'

export const conversations = recordReader<ConversationRow>({
  heads: 'conversations',
  texts: 'conversation_texts',
  key: 'conversation_id',
  words: 'conversation_words',
  shown: `message_id, at, user_input, agent_response, meta_data,
    exists (select 1 from executions where executions.user_id = conversations.user_id and executions.message_id = conversations.message_id) as has_execution`,
})
