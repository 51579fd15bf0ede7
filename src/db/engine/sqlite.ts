import SqliteDatabase, { type Database as Connection, type Statement } from 'better-sqlite3'
import {
  type FunctionNode,
  Kysely,
  type LimitNode,
  SqliteDialect,
  type SqliteDatabase as KyselySqlite,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely'
import type { Schema } from '../schema/schema.ts'
import type { Db } from './db.ts'
import { spell, type Spellings } from './words.ts'

// Everything specific to SQLite: connections, pragmas, error codes, data_version.

export type { Connection }

/** SQLite before 3.51.3 can corrupt a database when the write-ahead log is reset. */
const oldestSafe = [3, 51, 3] as const

/** Opens a connection with aiswarm's settings. `wait` is SQLite's own busy timeout in ms. */
export const connect = (
  path: string,
  { readonly = false, wait = 5000 }: { readonly?: boolean; wait?: number } = {},
): Connection => {
  const connection = new SqliteDatabase(path, { readonly, timeout: wait })
  try {
    connection.pragma('foreign_keys = ON')
    connection.pragma('trusted_schema = OFF')
    // As many pages (4 MB) as the queries of a screen read; better-sqlite3 keeps 16 MB, and a program has two
    // connections.
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

/** Provides Kysely with a connection, which may have been replaced, and handles its errors. */
export interface Source {
  /** Throws if nothing may be read or written at this moment. */
  readonly connection: () => Connection
  /** Returns the error to throw for an error of SQLite. */
  readonly explain: (error: unknown) => unknown
}

/**
 * Kysely over one connection, with each statement compiled once (measured: 140 → 55 µs for a two-statement
 * transaction).
 */
export const kyselyOver = (source: Source): Db =>
  new Kysely<Schema>({ dialect: new SpellingDialect({ database: rememberingStatements(source) }) })

const spellings: Spellings = {
  'later of': 'max($0, $1)',
  'seconds between': "max(0.0, unixepoch($1, 'subsec') - unixepoch($0, 'subsec'))",
  'second of': 'unixepoch($0)',
  // Large parameters arrive as floating point, hence the CAST.
  'bucket of second': 'CAST(min($3, max(0, ($0 * 1000 - $1) / $2)) AS INTEGER)',
  unindexed: '+$0',
  globbed: '$0 GLOB $1',
  'like folded': "$0 LIKE $1 ESCAPE '\\'",
  containing: '$0 GLOB $1',
  'holding words': '$0 MATCH $1',
  'rank of words': '$0.rank',
}

class SpellingDialect extends SqliteDialect {
  override createQueryCompiler(): SqliteQueryCompiler {
    return new SpellingCompiler()
  }
}

/**
 * Prints parameters as `+?` and limits as numbers. SQLite plans a statement again for each new value of a bare `?` on
 * which its plan could depend, which includes a key in a join and every limit: measured 70 µs instead of 5 for a task by
 * its key. Where a plan must depend on a value, as for a partial index, that value is a literal.
 */
class SpellingCompiler extends SqliteQueryCompiler {
  #plannedByValue = false

  protected override visitFunction(node: FunctionNode): void {
    const spelling = (spellings as Readonly<Record<string, string>>)[node.func]
    if (spelling === undefined) return super.visitFunction(node)
    // The beginning of a pattern is looked up in an index.
    this.#plannedByValue = true
    spell(
      spelling,
      node.arguments,
      (text) => this.append(text),
      (argument) => this.visitNode(argument),
    )
    this.#plannedByValue = false
  }

  protected override visitLimit(node: LimitNode): void {
    const { limit } = node
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) this.append(`limit ${limit.value as number}`)
    else super.visitLimit(node)
  }

  protected override getCurrentParameterPlaceholder(): string {
    return this.#plannedByValue ? '?' : '+?'
  }
}

/**
 * Returns a function whose number changes whenever another connection has committed; it runs ten times a second, so it
 * is compiled once.
 */
export const dataVersionOf = (connection: Connection): (() => number) => {
  const statement = connection.prepare<[], number>('PRAGMA data_version').pluck()
  return () => statement.get()!
}

/** Returns a function for the number of rows that this connection has changed so far. */
export const changedRowsOf = (connection: Connection): (() => number) => {
  const statement = connection.prepare<[], number>('SELECT total_changes()').pluck()
  return () => statement.get()!
}

export const journalMode = (connection: Connection): string =>
  connection.pragma('journal_mode', { simple: true }) as string

export const tableNames = (connection: Connection): readonly string[] =>
  connection
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all()

/** The last number that was given to a row of a table; 0 if none was. */
export const lastNumber = (connection: Connection, table: string): number =>
  connection.prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(table) ?? 0

/** Writes a compact copy of a live database; the only way to copy an open one (a file copy releases its locks). */
export const vacuumInto = (connection: Connection, path: string): void => {
  connection.prepare('VACUUM INTO ?').run(path)
}

/** Returns a function whose value changes when any program has recorded a migration. */
export const migrationsIn = (connection: Connection): (() => string) => {
  const statement = connection
    .prepare<[], string>("SELECT count(*) || ':' || coalesce(max(id), 0) FROM migration_history")
    .pluck()
  return () => statement.get()!
}

/** SQLite's result code of an error (`SQLITE_BUSY`, …), or undefined for an error of another kind. */
export const sqliteCode = (error: unknown): string | undefined =>
  error instanceof SqliteDatabase.SqliteError ? error.code : undefined

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
      // Lists of ids make statements of many lengths, so the cache must be limited.
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
  if (difference < 0)
    throw new Error(`better-sqlite3 contains SQLite ${version}; ${oldestSafe.join('.')} or newer is required.`)
}
