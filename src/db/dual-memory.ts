import { type RawBuilder, sql } from 'kysely'
import type { Instant } from '../domain/words/time.ts'
import { type Db, insertsInOne, statement, together } from './engine/db.ts'
import { holdingWords, rankOfWords, streamOf } from './engine/full-text.ts'
import type { Json } from './schema/columns.ts'

// The dual memory (seed 003), which stores conversations and executions in the same way: heads, their texts in a second
// table, and an index of the words of those.

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

/** The work done for a message. `meta_data` is null if there was none, `duration_ms` if it is unknown. */
export interface NewExecution {
  readonly user_id: string
  readonly message_id: string
  readonly at: Instant
  readonly recorded_at: Instant
  readonly success: number
  readonly duration_ms: number | null
  readonly execution_summary: string
  readonly observations: string
  readonly tools_used: Json
  readonly errors: Json
  readonly meta_data: Json | null
}

/** False if the user already has an execution of this message, which is kept. */
export const insertExecution = async (
  db: Db,
  { execution_summary, observations, tools_used, errors, meta_data, ...head }: NewExecution,
): Promise<boolean> => {
  if (insertsInOne(db)) {
    const { rowid: _, ...words } = executionWords(0, { execution_summary, observations, tools_used, errors })
    return (
      (
        await insertExecutionAtOnce(db, {
          ...head,
          execution_summary,
          observations,
          tools_used,
          errors,
          meta_data,
          execution_summary_words: words.execution_summary,
          observations_words: words.observations,
          tools_used_words: words.tools_used,
          errors_words: words.errors,
        })
      ).rows.length > 0
    )
  }
  const [inserted] = (await insertExecutionHead(db, head)).rows
  if (!inserted) return false
  await together(
    insertExecutionTexts(db, {
      execution_id: inserted.id,
      execution_summary,
      observations,
      tools_used,
      errors,
      meta_data,
    }),
    insertExecutionWords(db, executionWords(inserted.id, { execution_summary, observations, tools_used, errors })),
  )
  return true
}

/** The three rows in one statement. */
const insertExecutionAtOnce = statement(
  (
    db,
    {
      execution_summary,
      observations,
      tools_used,
      errors,
      meta_data,
      execution_summary_words,
      observations_words,
      tools_used_words,
      errors_words,
      ...head
    }: NewExecution & {
      execution_summary_words: string
      observations_words: string
      tools_used_words: string
      errors_words: string
    },
  ) =>
    db
      .with('head', (db) =>
        db
          .insertInto('executions')
          .values(head)
          .onConflict((conflict) => conflict.columns(['user_id', 'message_id']).doNothing())
          .returning('id'),
      )
      .with('texts', (db) =>
        db
          .insertInto('execution_texts')
          .columns(['execution_id', 'execution_summary', 'observations', 'tools_used', 'errors', 'meta_data'])
          .expression((eb) =>
            eb
              .selectFrom('head')
              .select([
                'head.id as execution_id',
                eb.val(execution_summary).as('execution_summary'),
                eb.val(observations).as('observations'),
                eb.val(tools_used).as('tools_used'),
                eb.val(errors).as('errors'),
                eb.val(meta_data).as('meta_data'),
              ]),
          ),
      )
      .insertInto('execution_words')
      .columns(['rowid', 'execution_summary', 'observations', 'tools_used', 'errors'])
      .expression((eb) =>
        eb
          .selectFrom('head')
          .select([
            'head.id as rowid',
            eb.val(execution_summary_words).as('execution_summary'),
            eb.val(observations_words).as('observations'),
            eb.val(tools_used_words).as('tools_used'),
            eb.val(errors_words).as('errors'),
          ]),
      )
      .returning('rowid'),
)

const insertExecutionHead = statement((db, head: Omit<NewExecution, ExecutionText>) =>
  db
    .insertInto('executions')
    .values(head)
    .onConflict((conflict) => conflict.columns(['user_id', 'message_id']).doNothing())
    .returning('id'),
)

const insertExecutionTexts = statement((db, texts: Pick<NewExecution, ExecutionText> & { execution_id: number }) =>
  db.insertInto('execution_texts').values(texts),
)

const insertExecutionWords = statement((db, words: ReturnType<typeof executionWords>) =>
  db.insertInto('execution_words').values(words),
)

/** The row of the full-text table for the texts of an execution. */
export const executionWords = (
  rowid: number,
  texts: Pick<NewExecution, 'execution_summary' | 'observations' | 'tools_used' | 'errors'>,
) => ({
  rowid,
  execution_summary: streamOf(texts.execution_summary),
  observations: streamOf(texts.observations),
  tools_used: streamOf(saidIn(texts.tools_used)),
  errors: streamOf(saidIn(texts.errors)),
})

/**
 * The texts in a list of names or of errors, without its keys: a search for "tool" is not to find every record whose errors
 * have a key of that name.
 */
const saidIn = (list: Json): string =>
  (JSON.parse(list) as readonly (string | Readonly<Record<string, unknown>>)[])
    .flatMap((entry) =>
      typeof entry === 'string' ? [entry] : [entry['error_type'], entry['error_message'], entry['tool']],
    )
    .filter((text) => typeof text === 'string')
    .join(' ')

type ExecutionText = 'execution_summary' | 'observations' | 'tools_used' | 'errors' | 'meta_data'

// Their reads: one reader for both, and the list of conversations.

export interface RecordReader<Row> {
  select(db: Db, userId: string, messageId: string): Promise<Row | undefined>
  /** The best first, then the newest. Reads the texts of the returned rows only. */
  search(db: Db, search: RecordSearch, limit: number): Promise<readonly Ranked<Row>[]>
  count(db: Db, search: RecordSearch): Promise<number>
}

export interface RecordSearch {
  readonly userId: string
  /** Every word must occur. */
  readonly query: string
  readonly from?: Instant | undefined
  /** The end of the range, exclusive. */
  readonly until?: Instant | undefined
}

/** A found row; a lower `rank` is better. */
type Ranked<Row> = Row & { readonly rank: number }

interface RecordTables {
  readonly heads: 'conversations' | 'executions'
  readonly texts: 'conversation_texts' | 'execution_texts'
  /** The column of the texts that names the head. */
  readonly key: 'conversation_id' | 'execution_id'
  readonly words: 'conversation_words' | 'execution_words'
  /** The columns of a row, as SQL. */
  readonly shown: string
}

/** Raw statements, because Kysely takes longer to build them than SQLite needs for a rare word (0.17 against 0.09 ms). */
const recordReader = <Row>({ heads, texts, key, words, shown }: RecordTables): RecordReader<Row> => {
  const [head, text, index, columns] = [sql.table(heads), sql.table(texts), sql.table(words), sql.raw(shown)]
  const [id, textOf, wordsOf] = [sql.ref(`${heads}.id`), sql.ref(key), sql.ref(`${words}.rowid`)]
  const found = ({ userId, query, from, until }: RecordSearch): RawBuilder<unknown> =>
    sql`${index} join ${head} on ${id} = ${wordsOf}
      where ${holdingWords(words, query)} and user_id = ${userId} ${from === undefined ? nothing : sql` and at >= ${from}`}${until === undefined ? nothing : sql` and at < ${until}`}`
  return {
    select: async (db, userId, messageId) =>
      (
        await sql<Row>`select ${columns} from ${head} join ${text} on ${textOf} = ${id} where user_id = ${userId} and message_id = ${messageId}`.execute(
          db,
        )
      ).rows[0],
    search: async (db, search, limit) =>
      (
        await sql<Ranked<Row>>`
          select ${columns}, rank from
            (select ${id} as best, ${rankOfWords(words, search.query)} as rank from ${found(search)} order by rank, at desc, ${id} desc limit ${limit}) as found
            join ${head} on ${id} = best
            join ${text} on ${textOf} = best
          order by rank, at desc, ${id} desc`.execute(db)
      ).rows,
    count: async (db, search) =>
      (await sql<{ found: number }>`select count(*) as found from ${found(search)}`.execute(db)).rows[0]!.found,
  }
}

const nothing = sql``

export interface ConversationRow {
  readonly message_id: string
  readonly at: Instant
  readonly user_input: string
  readonly agent_response: string
  readonly meta_data: Json | null
  readonly has_execution: number
}

export const conversations = recordReader<ConversationRow>({
  heads: 'conversations',
  texts: 'conversation_texts',
  key: 'conversation_id',
  words: 'conversation_words',
  shown: `message_id, at, user_input, agent_response, meta_data,
    exists (select 1 from executions where executions.user_id = conversations.user_id and executions.message_id = conversations.message_id) as has_execution`,
})

export interface ExecutionRow {
  readonly message_id: string
  readonly at: Instant
  readonly success: number
  readonly duration_ms: number | null
  readonly execution_summary: string
  readonly observations: string
  readonly tools_used: Json
  readonly errors: Json
  readonly meta_data: Json | null
}

export const executions = recordReader<ExecutionRow>({
  heads: 'executions',
  texts: 'execution_texts',
  key: 'execution_id',
  words: 'execution_words',
  shown: 'message_id, at, success, duration_ms, execution_summary, observations, tools_used, errors, meta_data',
})

/** A conversation in a list. */
interface ConversationHead {
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
