import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { escapeIdentifier } from 'pg'
import { type Beat, type KnownHost, whyNoWrite } from '../../domain/host/heartbeat.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Instant } from '../../domain/words/time.ts'
import { type Db, together } from '../engine/db.ts'
import type { HostStanding, RowScope } from '../engine/store.ts'
import { kyselyOn } from './dialect.ts'
import {
  explain,
  isConflict,
  isConnectionLost,
  isEnded,
  isLockTimeout,
  isNumberOfFuture,
  isStalePlan,
  isWithoutTables,
  locked,
  movedTo,
  unknownOutcome,
} from './errors.ts'
import { LIFE, type Server, type Session } from './server.ts'

// A write is alone on the board, as BEGIN IMMEDIATE makes it on SQLite: it holds the board's advisory lock, which ends with
// the transaction and works through poolers too. A write with a scope shares that lock with others of its kind and locks
// its rows, always the agent before the task, so that none waits for another in a circle; those that need the end of the
// line of events (append_event) wait for it last.

export interface Board {
  readonly server: Server
  readonly schema: string
  /** The address without secrets. */
  readonly place: string
  /** How long a write waits for others, and for a server that went away (ms). */
  readonly patience: number
  /** The rights of this program on the board, as it was found last. */
  readonly standing: () => Standing
  /** Finds them out anew: the board was migrated meanwhile, or its tables are not as this program knows them. */
  readonly judge: () => Promise<Standing>
}

interface Written<T> {
  readonly result: T
  /** The number of rows that were changed. */
  readonly changed: number
  /** How long it waited for other writers (ms). */
  readonly waited: number
}

/** The part of the board that a write holds until its end. */
interface Extent {
  /** Without one it is alone on the board. */
  readonly scope?: RowScope | undefined
  /** Adds up the changes of sums that have gathered; only alone on the board. */
  readonly fold?: boolean
  /** The host for which the process writes; it may have been forgotten. */
  readonly standing?: HostStanding | undefined
  /** Is called with the number of the transaction when it has begun, on a board of one host. */
  readonly begun?: (xid: string) => void
  /** Tells others of the commit, over the connection that has just sent it if that still stands. */
  readonly tell?: (session?: Session) => void
}

/** The work of a write in its transaction; `last` runs its last statement, with which the commit is sent, and `asked` is when the server was asked for `at`. */
type Work<T> = (db: Db, at: Instant, last: Db, asked: number) => Promise<T>

/**
 * Runs `work` in one transaction, alone on the board or on its rows. It is run again as a whole after a conflict. If the answer to the
 * commit is lost, the server is asked by the transaction's number what became of it.
 */
export const writeOn = async <T>(board: Board, work: Work<T>, extent: Extent = {}): Promise<Written<T>> => {
  let began = performance.now()
  let wasEnded = false
  for (let tries = 0; ; tries++) {
    const { newer } = board.standing()
    if (newer) throw newer
    try {
      return await transaction(board, work, extent)
    } catch (error) {
      if (await isMigrated(board, error)) continue
      // A process that was stopped in the middle has not waited for the server, which is there.
      if (isEnded(error) && !wasEnded) [began, wasEnded] = [performance.now(), true]
      const late = performance.now() - began > board.patience
      if (isLockTimeout(error)) throw locked(board.place, board.patience)
      if (error instanceof Refusal) throw error
      if (isConflict(error) || isStalePlan(error) || isConnectionLost(error)) {
        if (late) throw isConflict(error) ? locked(board.place, board.patience) : explain(error, board.place)
      } else throw explain(error, board.place)
    }
    await sleep(pause(tries))
  }
}

const transaction = async <T>(board: Board, work: Work<T>, extent: Extent): Promise<Written<T>> => {
  const session = await board.server.connect()
  let broken = true
  try {
    const asked = performance.now()
    // Another process of the host may beat meanwhile: its file is written after the commit, so the board is never earlier.
    const seen = extent.standing?.seen()
    const { at, xid, moved, script, host } = await beginWrite(session, board, extent)
    // Where there are other hosts, a console judges its own one by heartbeats too, and has to read them.
    if (host?.hosts === 1) extent.begun?.(xid)
    const refused =
      moved !== null
        ? movedTo(board.place, moved)
        : script !== board.standing().script
          ? new Migrated()
          : refuseHost(extent.standing, host, seen)
    if (refused) {
      await session.script('ROLLBACK')
      broken = false
      throw refused
    }
    const waited = performance.now() - asked
    const counted = counting(session)
    const end = (): Promise<void> => commit(board, session, xid, counted.changed() > 0 ? extent.tell : undefined)
    const ending = endingOf(counted.query, end)
    let result: T
    try {
      result = await work(kyselyOn(counted.query), at, kyselyOn(ending.last), asked)
    } catch (error) {
      counted.end()
      if (!isConnectionLost(error)) {
        if (!(await ending.sent())) await session.script('ROLLBACK')
        broken = isStalePlan(error)
      }
      throw error
    }
    counted.end()
    await ending.commit()
    broken = false
    return { result, changed: counted.changed(), waited }
  } finally {
    session.release(broken)
  }
}

/** True if the board was migrated meanwhile, so that the write is tried again, or refused by what is known now. */
const isMigrated = async (board: Board, error: unknown): Promise<boolean> => {
  if (error instanceof Migrated) return board.judge().then(() => true)
  if (!isWithoutTables(error)) return false
  return board.judge().then(
    ({ newer }) => newer !== undefined,
    // In the middle of a restore, for example, which the error itself says better.
    () => false,
  )
}

/** Ends a write to a board that was migrated since this program looked. */
class Migrated extends Error {}

type Query = Session['query']

/**
 * The end of a write. The commit is sent with the last statement, so what that statement waits for (the end of the line of
 * events) is held no longer than the server needs: a transaction in which a statement has failed is rolled back by it.
 */
const endingOf = (query: Query, end: () => Promise<void>) => {
  let committed: Promise<void> | undefined
  const last: Query = async <Row>(sql: string, parameters: readonly unknown[]) => {
    if (committed) throw new Error('the last statement of a write is one')
    const answer = query<Row>(sql, parameters)
    committed = end()
    // It is awaited below, after the answer.
    committed.catch(() => {})
    try {
      return await answer
    } catch (error) {
      if (!isConnectionLost(error)) throw error
      // The statement was part of what was committed; it names the reason if it was not.
      await committed.catch((late: unknown) => {
        throw late instanceof Refusal ? late : error
      })
      return { command: 'SELECT', rowCount: 0, rows: [] }
    }
  }
  return {
    last,
    commit: () => (committed ??= end()),
    /** Waits for the commit if it was sent; false if it was not. */
    sent: async () => {
      await committed?.catch(() => {})
      return committed !== undefined
    },
  }
}

const commit = async (board: Board, session: Session, xid: string, tell: Extent['tell']): Promise<void> => {
  const answer = session.script('COMMIT')
  tell?.(session)
  try {
    await answer
  } catch (error) {
    if (!isConnectionLost(error)) throw error
    if (!(await wasCommitted(board, { xid, life: session.life }, error))) throw error
    tell?.()
  }
}

/** A session that counts the rows it changes; an event is counted when it is sent. */
const counting = (session: Session) => {
  let changed = 0
  let ended = false
  return {
    query: async <Row>(sql: string, parameters: readonly unknown[]) => {
      // Another part of the work has failed meanwhile: what comes now would be a transaction of its own.
      if (ended) throw new Error('the write has ended')
      if (sql.includes('append_event')) changed++
      const result = await session.query<Row>(sql, parameters)
      if (result.command !== 'SELECT') changed += result.rowCount
      return result
    },
    changed: () => changed,
    end: () => void (ended = true),
  }
}

/** The rights of this program on a board, by the scripts that the board has. */
export interface Standing {
  /** The number of the newest script. */
  readonly script: number
  /** Why this program must not write: a newer one has migrated the board. */
  readonly newer: Refusal | undefined
}

/** Why the process must not write for its host; undefined if it may, or writes for none. */
const refuseHost = (
  standing: HostStanding | undefined,
  host: KnownHost | undefined,
  seen: Beat | undefined,
): Refusal | undefined => (standing === undefined ? undefined : whyNoWrite(host, seen))

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
const beginWrite = async (
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

/** Milliseconds before a transaction is tried again, or the server asked again. */
const pause = (tries: number): number => Math.min(500, 5 * 2 ** tries) * (0.5 + Math.random())

interface BoardServer {
  readonly server: Server
  /** The address without secrets. */
  readonly place: string
  /** How long the server is asked (ms). */
  readonly patience: number
}

/** A transaction whose commit was not answered. */
interface Unanswered {
  readonly xid: string
  readonly life: string | undefined
}

/** Asks the server what became of a transaction whose commit was not answered. */
export const wasCommitted = async (board: BoardServer, unanswered: Unanswered, lost: unknown): Promise<boolean> => {
  const began = performance.now()
  for (let tries = 0; performance.now() - began < board.patience; tries++) {
    await sleep(pause(tries))
    const { status, life } = await statusOf(board, unanswered.xid).catch((error: unknown) => {
      if (isConnectionLost(error)) return { status: 'in progress', life: undefined }
      throw unknownOutcome(board.place, error)
    })
    if (status === 'aborted') return false
    // After a crash, another transaction may have got the number of one whose commit was lost.
    if (status === null || (status === 'committed' && life !== unanswered.life)) break
    if (status === 'committed') return true
  }
  throw unknownOutcome(board.place, lost)
}

const statusOf = async (
  { server }: BoardServer,
  xid: string,
): Promise<{ readonly status: string | null; readonly life: string | undefined }> => {
  const session = await server.connect()
  let failed = true
  try {
    const [{ standby } = { standby: true }] = (
      await session.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby', [])
    ).rows
    const { status, life } = await statusIn(session, xid)
    failed = status === 'aborted'
    // A standby may not have come to the commit yet, so that there only a commit says something.
    return standby && status !== 'committed' ? { status: 'in progress', life } : { status, life }
  } finally {
    session.release(failed)
  }
}

type Status = Awaited<ReturnType<typeof statusOf>>

const statusIn = async (session: Session, xid: string): Promise<Status> => {
  try {
    const { rows } = await session.query<{ status: string | null; life: string }>(
      `SELECT pg_xact_status($1::text::xid8) AS status, (${LIFE}) AS life`,
      [xid],
    )
    return rows[0]!
  } catch (error) {
    if (!isNumberOfFuture(error)) throw error
    return { status: 'aborted', life: undefined }
  }
}
