import type { Instant } from '../domain/words/time.ts'
import { recordReader } from './memory-records.ts'
import type { Json } from './schema/json.ts'
import { type Db, insertsInOne } from './engine/db.ts'
import { together } from './engine/together.ts'
import { statement } from './engine/statement.ts'
import { streamOf } from './engine/tokens.ts'

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

export const executions = recordReader<ExecutionRow>({
  heads: 'executions',
  texts: 'execution_texts',
  key: 'execution_id',
  words: 'execution_words',
  shown: 'message_id, at, success, duration_ms, execution_summary, observations, tools_used, errors, meta_data',
})
