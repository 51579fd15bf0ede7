import { createHash } from 'node:crypto'
import { escapeIdentifier } from 'pg'
import type { Instant } from '../../domain/words/time.ts'
import type { KnownHost } from '../../domain/host/heartbeat.ts'
import type { HostStanding, RowScope } from '../engine/store.ts'
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
  /** The number of the newest script in the history of the board. */
  readonly script: number
  /** The host for which the process writes, once the lock is held; undefined without one, or if the board knows none. */
  readonly host: (KnownHost & { readonly hosts: number }) | undefined
}

/** One message opens the transaction, waits for what it holds, and reads the clock once that is held (061_OldPrograms.sql). */
export const beginWrite = async (
  session: Session,
  { schema, patience }: { readonly schema: string; readonly patience: number },
  {
    scope,
    fold = false,
    standing,
  }: {
    readonly scope?: RowScope | undefined
    readonly fold?: boolean
    readonly standing?: HostStanding | undefined
  },
): Promise<Opening> => {
  const [, { rows }, host] = await together(
    session.query('BEGIN ISOLATION LEVEL READ COMMITTED', []),
    session.query<Omit<Opening, 'host'>>(
      `SELECT * FROM ${escapeIdentifier(schema)}.open_write($1, $2, $3, $4, $5, $6, $7)`,
      [schema, lockOf(schema), String(patience), IDLE, scope?.agentId ?? null, scope?.taskId ?? null, fold],
    ),
    // Read after the lock is held, so that it is as it is until the end of the write.
    standing === undefined
      ? Promise.resolve({ rows: [] })
      : session.query<NonNullable<Opening['host']>>(knownHost(schema), [standing.hostId]),
  )
  return { ...rows[0]!, host: host.rows[0] }
}

const knownHost = (schema: string): string => {
  const board = escapeIdentifier(schema)
  return `SELECT name, state, beat_seq AS seq, joined_at AS "joinedAt", COALESCE((SELECT generation FROM ${board}.fleet), 1) AS generation, (SELECT count(*) FROM ${board}.hosts)::float8 AS hosts FROM ${board}.hosts WHERE id = $1`
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
