import { existsSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../domain/refusal.ts'
import { lockHolder } from './lock-holder.ts'
import { migrate } from './migrate.ts'
import { changedRowsOf, type Connection, connect, dataVersionOf, type Db, isBusy, journalMode, kyselyOver, sqliteCode, tableNames } from './sqlite.ts'

/** The open database: one connection that writes, one that only reads. */
export interface Store {
  readonly path: string
  /** The folder of the migration scripts. */
  readonly migrations: string
  /** The read-only connection; what the screen and lists use. */
  readonly read: Db
  /** Runs `work` in one BEGIN IMMEDIATE transaction; waits for other writers, 10 s in all. Only database awaits inside. */
  write<T>(work: (db: Db) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Grows whenever something was committed, by whatever process; not for what this one wrote quietly. */
  version(): number
  /** How long the writes of this process have waited for those of others. */
  waits(): LockWaits
  /** The raw connections, for maintenance (`db check`, `db backup`). */
  readonly connection: Connection
  close(): void
}

export interface WriteOptions {
  /** What is written is nothing that anybody shows or acts on: this process need not look at the rows again. */
  readonly quiet?: boolean
}

export interface LockWaits {
  /** Writes that had to wait. */
  readonly times: number
  /** All of their waits, and the longest of them (ms). */
  readonly ms: number
  readonly longest: number
}

export interface OpenOptions {
  readonly migrations: string
  readonly warn?: (sentence: string) => void
  /** Milliseconds for which opening and every write wait for other writers before they give up. */
  readonly patience?: number
}

/** How long a write waits for others unless said otherwise (ms). */
const PATIENCE = 10_000

/**
 * Milliseconds until the next try of a writer that has waited so long: random, so that writers do not march in step, and
 * the shorter the longer it has waited, so that none is starved; but never so short that many who wait keep the processor
 * from the one who works. Measured in one run with 16 writers: a cap that falls from 30 to 6 ms within 72 ms gives a p99 of
 * 97 ms and a worst of 161 ms; from 14 to 6 within 160 ms, 146 and 303. A cap of 3 loses calls among 50 writers.
 */
const pauseAfter = (waited: number): number => 1 + Math.random() * Math.max(6, 30 - waited / 3)

/** Opens or creates the database at `path` and brings it to the current schema. */
export const openStore = async (path: string, { migrations, warn = () => {}, patience = PATIENCE }: OpenOptions): Promise<Store> => {
  const began = Date.now()
  for (;;) {
    try {
      return openOnce(path, migrations, warn, patience)
    } catch (error) {
      if (!isBusy(error) || Date.now() - began > patience) throw explain(error, path, patience)
      await sleep(20 + Math.random() * 80)
    }
  }
}

const openOnce = (path: string, migrations: string, warn: (sentence: string) => void, patience: number): Store => {
  refuseUnwritable(path)
  const writer = connect(path, { wait: Math.min(5000, patience) })
  let reader: Connection | undefined
  try {
    prepare(writer, path)
    migrate(writer, migrations, warn)
    // SQLite's own wait blocks this process and is unfair among many writers; `write` below waits instead.
    writer.pragma('busy_timeout = 0')
    reader = connect(path, { readonly: true })
    return storeOver(path, migrations, writer, reader, patience)
  } catch (error) {
    reader?.close()
    writer.close()
    throw error
  }
}

const refuseUnwritable = (path: string): void => {
  if (!existsSync(dirname(path))) throw new Refusal('not_writable', `There is no folder ${dirname(path)} for the database; 'aiswarm init' makes it.`)
}

/** WAL is set only on a database that is being created; a file of something else is left as it is. */
const prepare = (connection: Connection, path: string): void => {
  const tables = tableNames(connection)
  if (tables.length > 0 && !tables.includes('migration_history')) {
    throw new Refusal('database_foreign', `${path} is an SQLite database, but not aiswarm's; move it away and start again.`)
  }
  const mode = journalMode(connection)
  if (mode === 'wal') return
  if (tables.length > 0)
    throw new Refusal(
      'database_foreign',
      `${path} is in journal mode '${mode}', not 'wal'; something else changed it. Restore it with 'PRAGMA journal_mode=WAL' when nothing has it open.`,
    )
  connection.pragma('journal_mode = WAL')
}

const storeOver = (path: string, migrations: string, writer: Connection, reader: Connection, patience: number): Store => {
  const db = kyselyOver(writer)
  const { dev, ino } = statSync(path)
  let queue: Promise<unknown> = Promise.resolve()
  let waits: LockWaits = { times: 0, ms: 0, longest: 0 }
  const onWait = (ms: number): void => void (waits = { times: waits.times + 1, ms: waits.ms + ms, longest: Math.max(waits.longest, ms) })
  // The writer does not count its own commits, so they are counted here: all but the quiet ones, and those that changed nothing.
  const commitsOfOthers = dataVersionOf(writer)
  const changedRows = changedRowsOf(writer)
  let own = 0
  const write = <T>(work: (db: Db) => Promise<T>, { quiet = false }: WriteOptions = {}): Promise<T> => {
    const turn = queue.then(async () => {
      refuseMoved(path, dev, ino)
      const before = changedRows()
      const result = await writeWhenFree(writer, path, () => work(db), patience, onWait)
      if (!quiet && changedRows() !== before) own++
      return result
    })
    queue = turn.catch(() => {})
    return turn
  }
  return {
    path,
    migrations,
    read: kyselyOver(reader),
    write,
    version: () => commitsOfOthers() + own,
    waits: () => waits,
    connection: writer,
    close: () => {
      reader.close()
      writer.close()
    },
  }
}

/** One transaction. On BUSY the whole is tried again after a short random pause, so that no writer is starved; `onWait` is told how long that took (ms). */
export const writeWhenFree = async <T>(
  connection: Connection,
  path: string,
  work: () => Promise<T>,
  patience: number = PATIENCE,
  onWait: (ms: number) => void = () => {},
): Promise<T> => {
  const began = Date.now()
  let waited = 0
  try {
    for (;;) {
      try {
        return await inTransaction(connection, work)
      } catch (error) {
        if (!isBusy(error)) throw explain(error, path, patience)
        if (Date.now() - began > patience) throw busy(path, patience)
        await sleep(pauseAfter(Date.now() - began))
        waited = Date.now() - began
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

const refuseMoved = (path: string, dev: number, ino: number): void => {
  const now = statSync(path, { throwIfNoEntry: false })
  if (now?.dev !== dev || now.ino !== ino) {
    throw new Refusal('database_moved', `${path} was replaced while aiswarm had it open; nothing more is written. Restart aiswarm.`)
  }
}

const busy = (path: string, patience: number): Refusal => {
  const pid = lockHolder(path)
  const holder = pid === undefined ? 'another process' : `process ${pid}`
  return new Refusal('database_busy', `The database is held by ${holder} for more than ${patience / 1000} s; end it or try again.`)
}

const explain = (error: unknown, path: string, patience: number): unknown => {
  const code = sqliteCode(error)
  const name = basename(path)
  if (code === undefined) return error
  if (code.startsWith('SQLITE_BUSY')) return busy(path, patience)
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return new Refusal('database_corrupt', `${path} is damaged or no database; move it away and start again, or restore a copy made by 'aiswarm db backup'.`, { cause: error })
  }
  if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN')) {
    return new Refusal('not_writable', `${name} cannot be written in ${dirname(path)}; check the permissions of that folder.`, { cause: error })
  }
  if (code === 'SQLITE_FULL') return new Refusal('not_writable', `The disk is full; nothing was written to ${name}. Make room and try again.`, { cause: error })
  return error
}
