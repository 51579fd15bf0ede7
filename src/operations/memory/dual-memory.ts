import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { RecordReader, RecordSearch } from '../../db/dual-memory.ts'
import type { Db } from '../../db/engine/db.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { once } from '../../domain/words/once.ts'
import type { Instant } from '../../domain/words/time.ts'
import { lazyObject } from '../perform/schemas.ts'

// Fields that conversations and executions share (seed 003). The limits of texts are at the inputs.

/** The user of the memory; from the environment of the connection, never an argument of a client. Any text. */
export const userId = z.string().min(1)
/** Replaces lone surrogates, which SQLite's UTF-8 cannot store. */
export const saidText = z.string().transform((given) => given.toWellFormed())
export const messageId = saidText.pipe(z.string().min(1))
export const metaData = z.custom<Readonly<Record<string, unknown>>>(
  (given) => typeof given === 'object' && given !== null && !Array.isArray(given),
)
export const errors = once(() => z.array(z.looseObject({ error_type: z.string(), error_message: z.string() })))
export const limit = z.int().min(1).max(50)

/** `stored` is false if the same was stored before. */
export const stored = lazyObject(() => ({ stored: z.boolean(), at: z.string() }))

/** True if two JSON texts have the same value, in any order of keys; null equals an empty object. */
export const saysTheSame = (one: string | null, other: string | null): boolean =>
  isDeepStrictEqual(JSON.parse(one ?? '{}'), JSON.parse(other ?? '{}'))

export const jsonOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

interface Head {
  readonly user_id: string
  readonly message_id: string
  readonly at: Instant
}

/** Stores a row under its user and message. The same content may be stored again; a missing `at` equals any time. */
export const storeOnce = async <New extends Head, Row extends { readonly at: Instant }>(
  db: Db,
  noun: 'conversation' | 'execution',
  row: New,
  at: Instant | undefined,
  kind: {
    readonly insert: (db: Db, row: New) => Promise<boolean>
    readonly reader: RecordReader<Row>
    readonly isSame: (first: Row, row: New) => boolean
  },
): Promise<z.output<ReturnType<typeof stored>>> => {
  if (await kind.insert(db, row)) return { stored: true, at: row.at }
  const first = (await kind.reader.select(db, row.user_id, row.message_id))!
  const same = kind.isSame(first, row) && (at === undefined || at === first.at)
  if (!same)
    throw new Refusal(
      'already_exists',
      `Another ${noun} is stored under the message id ${row.message_id} and is not changed. Use another id.`,
    )
  return { stored: false, at: first.at }
}

type Retrieved<Row> = { readonly total: number; readonly rows: readonly (Row & { readonly rank: number | null })[] }

/** One row by its message id, for which the search words are ignored, or the best of a search. */
export const retrieve = async <Row extends { readonly at: Instant }>(
  db: Db,
  reader: RecordReader<Row>,
  { messageId, limit, ...search }: RecordSearch & { readonly messageId?: string | undefined; readonly limit: number },
): Promise<Retrieved<Row>> => {
  if (messageId !== undefined) {
    const row = await reader.select(db, search.userId, messageId)
    const inTime =
      row !== undefined && row.at >= (search.from ?? row.at) && (search.until === undefined || row.at < search.until)
    return inTime ? { total: 1, rows: [{ ...row, rank: null }] } : { total: 0, rows: [] }
  }
  const rows = await reader.search(db, search, limit)
  return { total: rows.length < limit ? rows.length : await reader.count(db, search), rows }
}

/** The memory of an ended run (seed 003). Empty where it received or said nothing. */
export const runMemory = lazyObject(() => ({
  userId,
  prompt: saidText,
  answer: saidText,
  toolsUsed: z.array(z.string()),
  /** The number of calls that are not listed. */
  toolsLeft: z.int(),
  errors: errors(),
}))
export type RunMemory = z.output<ReturnType<typeof runMemory>>
