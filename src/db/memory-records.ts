import { type RawBuilder, sql } from 'kysely'
import type { Instant } from '../domain/words/time.ts'
import { holdingWords, rankOfWords } from './engine/words.ts'
import type { Db } from './engine/db.ts'

// Reads of the dual memory (seed 003), which stores conversations and executions in the same way: heads, their texts in
// a second table, and an index of the words of those.

export interface RecordTables {
  readonly heads: 'conversations' | 'executions'
  readonly texts: 'conversation_texts' | 'execution_texts'
  /** The column of the texts that names the head. */
  readonly key: 'conversation_id' | 'execution_id'
  readonly words: 'conversation_words' | 'execution_words'
  /** The columns of a row, as SQL. */
  readonly shown: string
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
export type Ranked<Row> = Row & { readonly rank: number }

export interface RecordReader<Row> {
  select(db: Db, userId: string, messageId: string): Promise<Row | undefined>
  /** The best first, then the newest. Reads the texts of the returned rows only. */
  search(db: Db, search: RecordSearch, limit: number): Promise<readonly Ranked<Row>[]>
  count(db: Db, search: RecordSearch): Promise<number>
}

/** Raw statements, because Kysely takes longer to build them than SQLite needs for a rare word (0.17 against 0.09 ms). */
export const recordReader = <Row>({ heads, texts, key, words, shown }: RecordTables): RecordReader<Row> => {
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
