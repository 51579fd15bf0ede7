import { type RawBuilder, sql } from 'kysely'
import type { Instant } from '../domain/words/time.ts'
import { holdsWords } from './engine/full-text.ts'
import type { Json } from './schema/json.ts'
import type { Db } from './engine/sqlite.ts'
import { statement } from './engine/statement.ts'

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

export interface ExecutionSearch {
  readonly userId: string
  /** Every word must occur. */
  readonly query: string
}

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

/** False if the user already has an execution of this message, which is kept. */
export const insertExecution = async (db: Db, { execution_summary, observations, tools_used, errors, meta_data, ...head }: NewExecution): Promise<boolean> => {
  const [inserted] = (await insertHead(db, head)).rows
  if (!inserted) return false
  await insertTexts(db, { execution_id: inserted.id, execution_summary, observations, tools_used, errors, meta_data })
  return true
}

const insertHead = statement((db, head: Omit<NewExecution, TextColumn>) =>
  db
    .insertInto('executions')
    .values(head)
    .onConflict((conflict) => conflict.columns(['user_id', 'message_id']).doNothing())
    .returning('id'),
)

const insertTexts = statement((db, texts: Pick<NewExecution, TextColumn> & { execution_id: number }) => db.insertInto('execution_texts').values(texts))

type TextColumn = 'execution_summary' | 'observations' | 'tools_used' | 'errors' | 'meta_data'

export const selectExecution = async (db: Db, userId: string, messageId: string): Promise<ExecutionRow | undefined> =>
  (
    await sql<ExecutionRow>`
      select ${shown} from executions join execution_texts on execution_id = executions.id
      where user_id = ${userId} and message_id = ${messageId}`.execute(db)
  ).rows[0]

/** The best first, then the newest; a lower `rank` is better. Reads the texts of the returned rows only. */
export const searchExecutions = async (db: Db, search: ExecutionSearch, limit: number): Promise<readonly (ExecutionRow & { readonly rank: number })[]> =>
  (
    await sql<ExecutionRow & { rank: number }>`
      select ${shown}, rank from
        (select executions.id as best, rank from ${found(search)} order by rank, at desc, executions.id desc limit ${limit})
        join executions on executions.id = best
        join execution_texts on execution_id = best
      order by rank, at desc, executions.id desc`.execute(db)
  ).rows

export const countExecutions = async (db: Db, search: ExecutionSearch): Promise<number> =>
  (await sql<{ found: number }>`select count(*) as found from ${found(search)}`.execute(db)).rows[0]!.found

// Raw statements, as for conversations.

const found = ({ userId, query }: ExecutionSearch): RawBuilder<unknown> =>
  sql`execution_words join executions on executions.id = execution_words.rowid where ${holdsWords('execution_words', query)} and user_id = ${userId}`

const shown = sql.raw('message_id, at, success, duration_ms, execution_summary, observations, tools_used, errors, meta_data')
