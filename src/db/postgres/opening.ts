import { createHash } from 'node:crypto'
import { escapeIdentifier } from 'pg'
import type { Instant } from '../../domain/words/time.ts'
import type { RowScope } from '../engine/store.ts'
import { together } from '../engine/together.ts'
import type { Session } from './server.ts'

/**
 * How long a transaction may wait for its own process before the server ends it: a stopped one must not hold the board. Less
 * than the patience of a writer, so that a host that is cut off in the middle of a transaction does not refuse others.
 */
const IDLE = '5s'

interface Opening {
  readonly at: Instant
  /** The number of the transaction, by which the server knows its outcome later. */
  readonly xid: string
  /** The store that has the board now, if it is another one. */
  readonly moved: string | null
}

/** One message opens the transaction, waits for what it holds, and reads the clock once that is held (057_OpenWrite.sql). */
export const beginWrite = async (
  session: Session,
  { schema, patience }: { readonly schema: string; readonly patience: number },
  { scope, fold = false }: { readonly scope?: RowScope | undefined; readonly fold?: boolean },
): Promise<Opening> => {
  const [, { rows }] = await together(
    session.query('BEGIN ISOLATION LEVEL READ COMMITTED', []),
    session.query<Opening>(`SELECT * FROM ${escapeIdentifier(schema)}.open_write($1, $2, $3, $4, $5, $6, $7)`, [
      schema,
      lockOf(schema),
      String(patience),
      IDLE,
      scope?.agentId ?? null,
      scope?.taskId ?? null,
      fold,
    ]),
  )
  return rows[0]!
}

/** The number of a board's lock. */
export const lockOf = (schema: string): string => {
  const known = locks.get(schema)
  if (known !== undefined) return known
  const lock = createHash('sha256').update(`aiswarm:${schema}`).digest().readBigInt64BE(0).toString()
  locks.set(schema, lock)
  return lock
}

const locks = new Map<string, string>()
