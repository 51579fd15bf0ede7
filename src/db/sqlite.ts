import SqliteDatabase, { type Database as Connection, type Statement } from 'better-sqlite3'
import { type Expression, Kysely, type RawBuilder, sql, SqliteDialect, type SqliteDatabase as KyselySqlite } from 'kysely'
import type { Span } from '../domain/series.ts'
import { type Instant, milliseconds } from '../domain/time.ts'
import type { Schema } from './schema.ts'

// All that only SQLite knows: connections, pragmas, error codes, data_version.

export type Db = Kysely<Schema>
export type { Connection }

/** SQLite before 3.51.3 can corrupt a database when the write-ahead log is reset. */
const oldestSafe = [3, 51, 3] as const

/** A connection with the settings that DESIGN section 4 gives reasons for. `wait` is SQLite's own busy timeout in ms. */
export const connect = (path: string, { readonly = false, wait = 5000 }: { readonly?: boolean; wait?: number } = {}): Connection => {
  const connection = new SqliteDatabase(path, { readonly, timeout: wait })
  try {
    connection.pragma('foreign_keys = ON')
    connection.pragma('trusted_schema = OFF')
    // As many pages (4 MB) as the queries of a screen go through; better-sqlite3 keeps 16 MB, and a program has two connections.
    connection.pragma('cache_size = -4000')
    // NORMAL lost acknowledged commits in a simulated power loss.
    if (!readonly) connection.pragma('synchronous = FULL')
    assertSafeVersion(connection)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Whom a Kysely asks for its connection, which may be another one by now, and tells of errors. */
export interface Source {
  /** Throws where nothing may be read or written at this moment. */
  readonly connection: () => Connection
  /** Gives what is thrown in the place of an error of SQLite. */
  readonly explain: (error: unknown) => unknown
}

/** Kysely over one connection, compiling each statement once (measured: 140 → 55 µs for a two-statement transaction). */
export const kyselyOver = (source: Source): Db => new Kysely<Schema>({ dialect: new SqliteDialect({ database: rememberingStatements(source) }) })

/** Seconds from one instant to another, never less than none. */
export const secondsBetween = (from: Expression<Instant | null>, to: Expression<Instant | null>): RawBuilder<number> =>
  sql<number>`max(0.0, unixepoch(${to}, 'subsec') - unixepoch(${from}, 'subsec'))`

/** The later of two instants. */
export const latest = (one: Expression<Instant>, other: Expression<Instant>): RawBuilder<Instant> => sql<Instant>`max(${one}, ${other})`

/** Number of the bucket in which a second (since 1970) lies; what lies outside belongs to the nearest. Large parameters arrive as floating point, hence the last CAST. */
export const bucketOfSecond = (second: Expression<unknown>, { start, step, buckets }: Span): RawBuilder<number> =>
  sql<number>`CAST(min(${buckets - 1}, max(0, (${second} * 1000 - ${milliseconds(start)}) / ${step})) AS INTEGER)`

/** Gives a number that changes whenever another connection has committed; asked ten times a second, so it is compiled once. */
export const dataVersionOf = (connection: Connection): (() => number) => {
  const statement = connection.prepare<[], number>('PRAGMA data_version').pluck()
  return () => statement.get()!
}

/** Gives how many rows this connection has changed so far. */
export const changedRowsOf = (connection: Connection): (() => number) => {
  const statement = connection.prepare<[], number>('SELECT total_changes()').pluck()
  return () => statement.get()!
}

export const journalMode = (connection: Connection): string => connection.pragma('journal_mode', { simple: true }) as string

export const tableNames = (connection: Connection): readonly string[] =>
  connection.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").pluck().all()

/** Compact copy of a live database; the only way to copy one that is open (a file copy drops the locks). */
export const vacuumInto = (connection: Connection, path: string): void => {
  connection.prepare('VACUUM INTO ?').run(path)
}

/** Findings of SQLite's own checks, none when the database is sound. */
export const findDamage = (connection: Connection): readonly string[] => {
  const integrity = (connection.pragma('integrity_check') as { integrity_check: string }[]).map((row) => row.integrity_check)
  const foreign = (connection.pragma('foreign_key_check') as { table: string; rowid: number | null; parent: string }[]).map(
    (row) => `${row.table} row ${row.rowid ?? '?'} names a missing row of ${row.parent}`,
  )
  return [...integrity.filter((line) => line !== 'ok'), ...foreign]
}

/** As `findDamage`, without indexes against rows, and only of a database of at most so many pages. */
export const quickCheck = (connection: Connection, pages: number): readonly string[] => {
  if ((connection.pragma('page_count', { simple: true }) as number) > pages) return []
  return (connection.pragma('quick_check(1)') as { quick_check: string }[]).map((row) => row.quick_check).filter((line) => line !== 'ok')
}

/** Gives a number that changes when a migration was recorded, by whatever program. */
export const migrationsIn = (connection: Connection): (() => string) => {
  const statement = connection.prepare<[], string>("SELECT count(*) || ':' || coalesce(max(id), 0) FROM migration_history").pluck()
  return () => statement.get()!
}

/** SQLite's result code of an error (`SQLITE_BUSY`, …), or undefined for an error of another kind. */
export const sqliteCode = (error: unknown): string | undefined => (error instanceof SqliteDatabase.SqliteError ? error.code : undefined)

export const isBusy = (error: unknown): boolean => sqliteCode(error)?.startsWith('SQLITE_BUSY') === true

const rememberingStatements = ({ connection, explain }: Source): KyselySqlite => {
  const statements = new Map<string, ReturnType<KyselySqlite['prepare']>>()
  let known: Connection | undefined
  const explained = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw explain(error)
    }
  }
  return {
    close: () => connection().close(),
    prepare: (sql) => {
      const current = connection()
      // Lists of ids make statements of many lengths; a cache without end would keep them all.
      if (current !== known || statements.size >= 500) statements.clear()
      known = current
      let statement = statements.get(sql)
      if (!statement) {
        const prepared: Statement = explained(() => current.prepare(sql))
        statement = {
          reader: prepared.reader,
          all: (parameters) => explained(() => prepared.all(parameters)),
          run: (parameters) => explained(() => prepared.run(parameters)),
          iterate: (parameters) => explained(() => prepared.iterate(parameters)),
        }
        statements.set(sql, statement)
      }
      return statement
    },
  }
}

const assertSafeVersion = (connection: Connection): void => {
  const version = connection.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '0'
  const parts = version.split('.').map(Number)
  const difference = oldestSafe.map((wanted, i) => (parts[i] ?? 0) - wanted).find((d) => d !== 0) ?? 0
  if (difference < 0) throw new Error(`better-sqlite3 carries SQLite ${version}; ${oldestSafe.join('.')} or newer is needed.`)
}
