import { sql } from 'kysely'
import type { StoreAddress } from '../../contracts/board-store.ts'
import type { Refusal } from '../../domain/rules/refusal.ts'
import type { Instant } from '../../domain/words/time.ts'
import { copySnapshot } from '../copy.ts'
import type { Db } from '../engine/db.ts'
import { newFile, whyNoFile } from '../engine/new-file.ts'
import type { HostStanding, LockWaits, Maintenance, Store, WriteOptions } from '../engine/store.ts'
import { findBrokenSeals } from '../events.ts'
import { findBrokenInvariants } from '../invariants.ts'
import { shown } from './address.ts'
import { beginWaking, type Waking } from './changes.ts'
import { StoreClock } from './clock.ts'
import { explain, movedTo } from './errors.ts'
import { isFilled, judged, migrateBoard, prepare, statesOf } from './migrations.ts'
import { readsOf, readTogether, roundTripTo } from './reads.ts'
import { type Server, serverAt, type Session } from './server.ts'
import { type Board, type Standing, writeOn } from './transaction.ts'

/** The default wait of a write for others (ms). */
const PATIENCE = 10_000

export interface OpenPostgresOptions {
  /** The folder of the scripts for PostgreSQL. */
  readonly migrations: string
  readonly patience?: number
  /** True if the board is there already: a missing one is refused, not made. */
  readonly isThere?: boolean
  /** The version of this program. */
  readonly version?: string
  /** Another program than the server at the address. */
  readonly server?: Server
  /** Opens a new database file, for a backup. */
  readonly openFile?: (path: string) => Promise<Store>
}

export interface PostgresStore extends Store {
  readonly engine: 'PostgreSQL'
  readonly server: Server
  readonly hears: () => boolean | undefined
}

/** Opens the board of a repository on PostgreSQL, and makes it if there is none, unless it `isThere`. */
export const openPostgres = async (
  address: StoreAddress,
  {
    migrations,
    patience = PATIENCE,
    isThere = false,
    server = serverAt(address),
    openFile,
    version,
  }: OpenPostgresOptions,
): Promise<PostgresStore> => {
  const place = shown(address)
  const { schema } = address
  const migrating = { server, schema, place, folder: migrations, version }
  let standing: Standing
  try {
    standing = await prepare(migrating, isThere)
  } catch (error) {
    await server.end().catch(() => {})
    throw error
  }
  const judge = async (): Promise<Standing> => (standing = (await judged(migrating)) ?? standing)
  return storeOver(
    { server, schema, place, patience, judge, standing: () => standing },
    { migrations, openFile, version },
  )
}

/** Applies the scripts that are missing, and those in `again`; for the owner of the board. */
export const migratePostgres = async (
  address: StoreAddress,
  {
    migrations,
    version,
    again = [],
  }: Pick<OpenPostgresOptions, 'migrations' | 'version'> & { again?: readonly string[] },
): Promise<void> => {
  const server = serverAt(address)
  try {
    await migrateBoard({ server, schema: address.schema, place: shown(address), folder: migrations, version }, again)
  } finally {
    await server.end().catch(() => {})
  }
}

/** Where a board would be made at this address; undefined if the schema is filled. Makes nothing. */
export const emptyPlace = async (address: StoreAddress): Promise<string | undefined> => {
  const server = serverAt(address)
  const place = shown(address)
  try {
    return (await isFilled({ server, schema: address.schema, place })) ? undefined : place
  } finally {
    await server.end().catch(() => {})
  }
}

const storeOver = (
  board: Board,
  { migrations, openFile, version }: Pick<OpenPostgresOptions, 'migrations' | 'openFile' | 'version'>,
): PostgresStore => {
  const { server, place, schema } = board
  let left: Refusal | undefined
  const clock = new StoreClock(server)
  const waking = beginWaking(server, `aiswarm_${schema}`, ({ clock: read, asked, moved }) => {
    clock.readAs(read, asked)
    left = moved === null ? undefined : movedTo(place, moved)
  })
  /** A connection to the board, unless it is elsewhere now. */
  const connect = async (): Promise<Session> => {
    if (left) throw left
    return server.connect()
  }
  const read = readsOf({ connect, end: () => server.end() }, place)
  let standing: HostStanding | undefined
  const store: PostgresStore = {
    engine: 'PostgreSQL',
    server,
    path: place,
    read,
    reading: (work) => readTogether({ connect }, place, work),
    ...writesOf(board, { waking, clock, standing: () => standing }),
    now: () => clock.now(),
    jumped: () => clock.jumped(),
    isAhead: () => clock.isAhead(),
    hears: () => waking.hears(),
    roundTrip: () => roundTripTo(server),
    maintenance: {
      ...maintenanceOf({ board, migrations, read, backup: (path) => backUp(store, path, openFile) }),
      endSessions: (hostId) => endSessions(server, place, hostId),
    },
    standFor: (host) => {
      standing = host
      server.name?.(sessionName(host.hostId, version))
    },
    close: () => {
      waking.close()
      void server.end().catch(() => {})
    },
  }
  return store
}

/**
 * A backup is a database file: it needs no program of the server, and `db restore` reads it. Everybody works on meanwhile;
 * it is the board at one moment.
 */
const backUp = async (store: Store, path: string, openFile: OpenPostgresOptions['openFile']): Promise<void> => {
  if (openFile === undefined) throw new Error('no engine for backups')
  const { draft, place, clear } = newFile(path)
  try {
    const copy = await openFile(draft)
    try {
      await copySnapshot(store, copy)
    } finally {
      copy.close()
    }
    place()
  } catch (error) {
    throw whyNoFile(path, error) ?? error
  } finally {
    clear()
  }
}

/** The most writes of this process that are open at once beside one that is alone on the board; the rest of the connections is for reads. */
const MOST_SHARING = 3

/** The least time between two additions of the sums by this process (ms). */
const BETWEEN_FOLDS = 10_000

/** An opening of a transaction that takes longer has waited for other writers (ms); the way to the server takes less. */
const NO_WAIT = 20

/** Writes of one process that are alone on the board are done one after the other, those with a scope a few at a time. */
const writesOf = (
  board: Board,
  {
    waking,
    clock,
    standing,
  }: { readonly waking: Waking; readonly clock: StoreClock; readonly standing: () => HostStanding | undefined },
): Pick<Store, 'write' | 'version' | 'waits'> => {
  const alone = inTurn(1)
  const sharing = inTurn(MOST_SHARING)
  let folded = -Infinity
  let waits: LockWaits = { times: 0, ms: 0, longest: 0 }
  let own = 0
  const write = <T>(
    work: (db: Db, at: Instant, last: Db) => Promise<T>,
    { quiet = false, scope }: WriteOptions = {},
  ): Promise<T> =>
    (scope ? sharing : alone)(async () => {
      const fold = scope === undefined && performance.now() - folded > BETWEEN_FOLDS
      const { result, changed, waited } = await writeOn(
        board,
        (db, at, last, asked) => work(db, clock.setBy(at, asked), last),
        {
          scope,
          fold,
          standing: standing(),
          begun: (xid) => waking.own(xid),
          ...(quiet ? {} : { tell: (session) => waking.tell(session) }),
        },
      )
      if (fold) folded = performance.now()
      if (waited > NO_WAIT)
        waits = { times: waits.times + 1, ms: waits.ms + waited, longest: Math.max(waits.longest, waited) }
      if (!quiet && changed > 0) own++
      return result
    })
  return { write, version: () => waking.version() + own, waits: () => waits }
}

/** Runs work in the order in which it comes, so many at once. */
const inTurn = (most: number) => {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < most) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The place goes to the next one without becoming free in between.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

interface Maintained {
  readonly board: Board
  /** The folder of the migration scripts. */
  readonly migrations: string
  readonly read: Db
  readonly backup: Maintenance['backup']
}

/** Work on a board of PostgreSQL as a whole. */
const maintenanceOf = ({ board, migrations, read, backup }: Maintained): Maintenance => ({
  status: () =>
    withSession(board, async (session) => {
      const { rows } = await session.query<{ tables: number }>(
        "SELECT count(*) AS tables FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'",
        [],
      )
      return {
        journalMode: 'server',
        tables: rows[0]!.tables,
        migrations: await statesOf(session, { schema: board.schema, folder: migrations }),
      }
    }),
  check: async () => ({
    damaged: false,
    findings: [...(await findBrokenSeals(read)), ...(await findBrokenInvariants(read))],
  }),
  backup,
  leave: async (other, db) => {
    await sql`UPDATE board SET moved_to = ${other}, moved_at = board_now()`.execute(db)
  },
})

const withSession = async <T>({ server, place }: Board, work: (session: Session) => Promise<T>): Promise<T> => {
  const session = await server.connect().catch((error: unknown) => {
    throw explain(error, place)
  })
  let broken = true
  try {
    const result = await work(session)
    broken = false
    return result
  } catch (error) {
    throw explain(error, place)
  } finally {
    session.release(broken)
  }
}

/** The name of the connections of a host, by which the server can show and end them. */
const sessionName = (hostId: string, version = '-'): string => `aiswarm/${version}/${hostId}`

/** Ends the connections of a host. The server lets a role end only its own, unless it may signal all. */
const endSessions = async (server: Server, place: string, hostId: string): Promise<number> => {
  const session = await server.connect().catch((error: unknown) => {
    throw explain(error, place)
  })
  try {
    const { rows } = await session.query<{ ended: boolean }>(
      `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
       WHERE application_name LIKE $1 AND pid <> pg_backend_pid()
         AND (pg_has_role(usename, 'USAGE') OR pg_has_role('pg_signal_backend', 'USAGE'))`,
      [sessionName(hostId, '%')],
    )
    return rows.filter(({ ended }) => ended).length
  } finally {
    session.release()
  }
}
