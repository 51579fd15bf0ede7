import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../engine/db.ts'
import type { LockWaits, Maintenance, Store, WriteOptions } from '../engine/store.ts'
import { findBrokenInvariants } from '../invariants.ts'
import { backupTo } from './backup.ts'
import { LiveConnections, MOVED, ReplacedMeanwhile } from './connections.ts'
import { checkDamage, checkSeals } from './damage.ts'
import { type Connection, journalMode, tableNames } from './database.ts'
import { kyselyOver } from './dialect.ts'
import { busy, explain, isBusy } from './errors.ts'
import { migrationStatus } from './migrations.ts'

/** The open database file: one connection for writes, one read-only. Each write is one BEGIN IMMEDIATE transaction. */
export interface SqliteStore extends Store {
  readonly engine: 'SQLite'
  /** The connection for writes, for what SQLite alone can do. */
  readonly connection: Connection
}

export interface OpenOptions {
  readonly migrations: string
  readonly warn?: (sentence: string) => void
  /** Milliseconds for which opening and every write wait for other writers before they fail. */
  readonly patience?: number
}

/** Opens or creates the database at `path` and migrates it to the current schema. */
export const openStore = async (
  path: string,
  { migrations, warn = () => {}, patience = PATIENCE }: OpenOptions,
): Promise<SqliteStore> => {
  const began = performance.now()
  for (;;) {
    try {
      return storeOver(
        new LiveConnections(path, { migrations, warn, wait: Math.min(5000, patience) }, patience),
        path,
        migrations,
        patience,
      )
    } catch (error) {
      const again = isBusy(error) || error instanceof ReplacedMeanwhile
      if (!again) throw explain(error, path, patience)
      if (performance.now() - began > patience) throw busy(path, patience)
      await sleep(20 + Math.random() * 80)
    }
  }
}

export const storeOver = (live: LiveConnections, path: string, migrations: string, patience: number): SqliteStore => {
  const db = kyselyOver({ connection: () => live.writer, explain: (error) => live.explainWrite(error) })
  let queue: Promise<unknown> = Promise.resolve()
  let waits: LockWaits = { times: 0, ms: 0, longest: 0 }
  const onWait = (ms: number): void =>
    void (waits = { times: waits.times + 1, ms: waits.ms + ms, longest: Math.max(waits.longest, ms) })
  // The writer's data_version does not count its own commits, so they are counted here: all except quiet ones and those
  // that changed nothing.
  let own = 0
  const write = <T>(
    work: (db: Db, at: undefined, last: Db) => Promise<T>,
    { quiet = false }: WriteOptions = {},
  ): Promise<T> => {
    const turn = queue.then(() =>
      live.writing(async (writer) => {
        const before = live.changedRows()
        // The lock is held now, so these checks stay valid until the commit.
        const looked = (): Promise<T> => (live.refuseUnfit(), work(db, undefined, db))
        const result = await writeWhenFree(writer, path, looked, patience, onWait)
        if (!quiet && live.changedRows() !== before) own++
        return result
      }),
    )
    queue = turn.catch(() => {})
    return turn
  }
  const read = kyselyOver({ connection: () => live.reader, explain: (error) => live.explainRead(error) })
  return {
    engine: 'SQLite',
    path,
    read,
    write,
    version: () => live.version() + own,
    waits: () => waits,
    maintenance: maintenanceOf({ path, migrations, read, connection: () => live.writer }),
    get connection() {
      return live.writer
    },
    close: () => live.close(),
  }
}

/** The default wait of a write for others (ms). */
const PATIENCE = 10_000

/**
 * Milliseconds until the next try of a writer that has waited for `waited` ms: random, so that writers do not
 * synchronise, and shorter the longer it has waited, so that none is starved; but never so short that many waiting
 * writers take the CPU from the active one. Measured in one run with 16 writers: a cap that falls from 30 to 6 ms
 * within 72 ms gives a p99 of 97 ms and a worst of 161 ms; from 14 to 6 within 160 ms, 146 and 303. A cap of 3 loses
 * calls among 50 writers.
 */
const pauseAfter = (waited: number): number => 1 + Math.random() * Math.max(6, 30 - waited / 3)

/**
 * Runs one transaction. On BUSY the whole transaction is retried after a short random pause, so that no writer is
 * starved; `onWait` receives the time waited (ms).
 */
export const writeWhenFree = async <T>(
  connection: Connection,
  path: string,
  work: () => Promise<T>,
  patience: number = PATIENCE,
  onWait: (ms: number) => void = () => {},
): Promise<T> => {
  const began = performance.now()
  let waited = 0
  try {
    for (;;) {
      try {
        return await inTransaction(connection, work)
      } catch (error) {
        if (!isBusy(error)) throw explain(error, path, patience)
        if (performance.now() - began > patience) throw busy(path, patience)
        await sleep(pauseAfter(performance.now() - began))
        waited = performance.now() - began
      }
    }
  } finally {
    if (waited > 0) onWait(waited)
  }
}

const inTransaction = async <T>(connection: Connection, work: () => Promise<T>): Promise<T> => {
  begin(connection)
  try {
    const result = await work()
    commit(connection)
    return result
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

// A deferred transaction that reads and then writes fails with BUSY_SNAPSHOT at once, whatever the timeout.
const begin = (connection: Connection): void => void connection.exec('BEGIN IMMEDIATE')
const commit = (connection: Connection): void => void connection.exec('COMMIT')

interface Maintained {
  readonly path: string
  /** The folder of the migration scripts. */
  readonly migrations: string
  readonly read: Db
  readonly connection: () => Connection
}

/** Work on a database file as a whole. */
export const maintenanceOf = ({ path, migrations, read, connection }: Maintained): Maintenance => ({
  status: async () => ({
    journalMode: journalMode(connection()),
    tables: tableNames(connection()).length,
    migrations: migrationStatus(connection(), migrations),
  }),
  check: async () => {
    const damage = checkDamage(path, connection())
    const damaged = damage.length > 0
    return {
      damaged,
      findings: damaged ? damage : [...(await checkSeals(read, connection())), ...(await findBrokenInvariants(read))],
    }
  },
  backup: async (copy) => backupTo(connection(), copy),
  // Processes that have the file open find the mark at their next write.
  leave: async (other) => writeFileSync(`${path}${MOVED}`, `${other}\n`, { mode: 0o600 }),
})
