import type { Beat } from '../../domain/host/heartbeat.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { Db } from './db.ts'

/** The open board, whichever engine stores it. */
export interface Store {
  readonly engine: 'SQLite' | 'PostgreSQL'
  /** The file of the board, or the address of its server, without a password. */
  readonly path: string
  /** For screens and lists; every statement sees what was committed before it. */
  readonly read: Db
  /** Runs statements that only read in one transaction, each on the same state of the board; missing where `read` costs no more. */
  readonly reading?: <T>(work: (db: Db) => Promise<T>) => Promise<T>
  /**
   * Runs `work` in one transaction, as if serial to all other writes; waits for other writers, 10 s in total. `work` may
   * await only the database, and may be run again after a conflict. `at` is the instant of the transaction by the store's own
   * clock, missing where that is the clock of this machine. `last` may run one statement, the last of the write: a server
   * gets the commit with it, so nothing may be refused after it.
   */
  write<T>(work: (db: Db, at: Instant | undefined, last: Db) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Now by the store's own clock; missing where that is the clock of this machine. */
  readonly now?: () => Instant
  /** The last jump of the store's own clock that was not asked for yet (ms, below 0 if it went back); 0 without one. */
  readonly jumped?: () => number
  /** True for a while after that clock has jumped ahead: what is late by it may only seem to be. */
  readonly isAhead?: () => boolean
  /** Grows with every commit of any process, except the quiet writes of this one. */
  version(): number
  /**
   * False if notifications of the server do not arrive, as through a pooler, so that changes are polled; undefined until
   * that is known. Missing where no server notifies.
   */
  readonly hears?: () => boolean | undefined
  /** How long the server takes to answer the least question (ms); missing where there is none. */
  readonly roundTrip?: () => Promise<number>
  /** How long the writes of this process have waited for those of others. */
  waits(): LockWaits
  readonly maintenance: Maintenance
  /** Every write of this process is refused from now on if the host must not write. Missing where a board has one host. */
  readonly standFor?: (standing: HostStanding) => void
  close(): void
}

/** The host that a process writes for, and the last acknowledged heartbeat that its disk remembers. */
export interface HostStanding {
  readonly hostId: string
  readonly seen: () => Beat | undefined
}

/** The rows of a write that decides over and changes no more than one agent, what that agent holds, and one task. */
export interface RowScope {
  readonly agentId: string
  readonly taskId?: number
}

export interface WriteOptions {
  /** On a server it runs beside other writes with a scope, as long as their rows differ; without one it is alone on the board. */
  readonly scope?: RowScope | undefined
  /** True if no reader shows or uses the written rows: this process need not reload them. */
  readonly quiet?: boolean
}

export interface LockWaits {
  /** The number of writes that had to wait. */
  readonly times: number
  /** The sum of all waits, and the longest of them (ms). */
  readonly ms: number
  readonly longest: number
}

/** Work on the store as a whole, which writes no rows. */
export interface Maintenance {
  status(): Promise<StoreStatus>
  check(): Promise<StoreCheck>
  /** Writes a copy of the live board to a new file. */
  backup(path: string): Promise<void>
  /** Ends the connections of a host, as far as the role may; returns how many. Missing where there are none. */
  readonly endSessions?: (hostId: string) => Promise<number>
  /** Marks the board, in a write of its own, as copied to another store: nothing else is written here any more. */
  leave(other: string, db: Db): Promise<void>
}

export interface StoreStatus {
  /** The journal mode of SQLite; `server` for PostgreSQL, which keeps its own. */
  readonly journalMode: string
  /** The number of tables. */
  readonly tables: number
  readonly migrations: readonly MigrationState[]
}

/** A script with its state in the history. */
export interface MigrationState {
  readonly name: string
  readonly state: 'applied' | 'pending' | 'changed' | 'failed'
}

export interface StoreCheck {
  /** True: nothing is written any more. False: the findings are rows that were changed by hand. */
  readonly damaged: boolean
  readonly findings: readonly string[]
}
