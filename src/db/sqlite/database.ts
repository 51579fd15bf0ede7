import SqliteDatabase, { type Database as Connection } from 'better-sqlite3'

// SQLite through its library: connections, pragmas, data_version, copies.

export type { Connection }

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

const assertSafeVersion = (connection: Connection): void => {
  const version = connection.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '0'
  const parts = version.split('.').map(Number)
  const difference = oldestSafe.map((wanted, i) => (parts[i] ?? 0) - wanted).find((d) => d !== 0) ?? 0
  if (difference < 0)
    throw new Error(`better-sqlite3 contains SQLite ${version}; ${oldestSafe.join('.')} or newer is required.`)
}

/** SQLite before 3.51.3 can corrupt a database when the write-ahead log is reset. */
const oldestSafe = [3, 51, 3] as const

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
