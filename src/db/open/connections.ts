import { chmodSync, closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { checkAfterUncleanEnd, wasLeftOpen } from './damage.ts'
import { migrate } from './migrate.ts'
import { identityOf, type OpenFiles, openFiles, SHM, WAL } from '../engine/open-files.ts'
import { finishRestore, isBeingRestored } from './restore.ts'
import { type Connection, connect, journalMode, migrationsIn, tableNames } from '../engine/sqlite.ts'

/** The two connections of a store, to the same files. */
export interface Connections {
  readonly writer: Connection
  readonly reader: Connection
  readonly files: OpenFiles
  /** Changes when a migration was recorded; must be read within a transaction. */
  readonly migrations: () => string
  close(): void
}

/** The database was replaced while it was being opened; the caller opens it again. */
export class ReplacedMeanwhile extends Error {}

export interface ConnectOptions {
  readonly migrations: string
  readonly warn: (sentence: string) => void
  /** SQLite's own wait while opening (ms). */
  readonly wait: number
}

/** Opens or creates the database and applies all migrations. */
export const openConnections = (path: string, { migrations, warn, wait }: ConnectOptions): Connections => {
  refuseUnwritable(path)
  refuseGone(path)
  finishRestore(path)
  refuseStrangersLog(path)
  const before = identityOf(path)
  const unclean = wasLeftOpen(path)
  keepPrivate(path)
  const writer = connect(path, { wait })
  let reader: Connection | undefined
  try {
    prepare(writer, path)
    // From here on the log is open: a replacement before this line is detected now, a later one by `files`.
    if (isBeingRestored(path) || (before !== 'none' && identityOf(path) !== before)) throw new ReplacedMeanwhile()
    checkAfterUncleanEnd(path, writer, unclean)
    migrate(writer, migrations, warn)
    // SQLite's own wait blocks this process and is unfair among many writers; the store's `write` waits instead.
    writer.pragma('busy_timeout = 0')
    reader = connect(path, { readonly: true })
    // One read opens the reader's files too.
    tableNames(reader)
    return connectionsOf(path, writer, reader)
  } catch (error) {
    reader?.close()
    writer.close()
    throw error
  }
}

const connectionsOf = (path: string, writer: Connection, reader: Connection): Connections => ({
  writer,
  reader,
  files: openFiles(path),
  migrations: migrationsIn(writer),
  close: () => {
    reader.close()
    writer.close()
  },
})

/** The suffix of the mark of a board that is on another store; it holds that store's address. */
export const MOVED = '.moved'

/** A board that is on another store now must not go on here as well. */
export const refuseGone = (path: string): void => {
  const gone = whyGone(path)
  if (gone) throw gone
}

/** Why the board of this file counts no longer; undefined while it does. */
export const whyGone = (path: string): Refusal | undefined => {
  const mark = path + MOVED
  return existsSync(mark)
    ? new Refusal(
        'database_moved',
        `The board of ${path} is at ${readFileSync(mark, 'utf8').trim()} now. Start aiswarm again; if .aiswarm/store.yaml is missing, 'aiswarm db copy --from URL' brings the board back.`,
      )
    : undefined
}

const refuseUnwritable = (path: string): void => {
  if (!existsSync(dirname(path)))
    throw new Refusal(
      'not_writable',
      `There is no folder ${dirname(path)} for the database. 'aiswarm init' creates it.`,
    )
}

/**
 * Titles, prompts and answers are private to their owner. SQLite gives the log and the shared memory the mode of the
 * database.
 */
const keepPrivate = (path: string): void => {
  try {
    // Only if there is none: closing a file that this process has open would release its locks.
    if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600))
    for (const file of [path, path + WAL, path + SHM])
      if (((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0) chmodSync(file, 0o600)
  } catch {
    // Another user's file, or a folder without write permission: SQLite reports which.
  }
}

/** SQLite would apply the leftover log of another database to this one. A log is always created after its database. */
const refuseStrangersLog = (path: string): void => {
  const [database, log] = [path, path + WAL].map((file) => statSync(file, { throwIfNoEntry: false }))
  if (!log || log.size === 0) return
  // Where the system stores no time of birth, node returns 0 or the ctime, which prove nothing.
  if (
    database &&
    (database.birthtimeMs === 0 || database.birthtimeMs === database.ctimeMs || log.birthtimeMs >= database.birthtimeMs)
  )
    return
  const whose = database ? 'is older than the database next to it' : 'exists without its database'
  throw new Refusal(
    'database_foreign',
    `${path}${WAL} ${whose}, so it belongs to another one. Move ${path}${WAL} and ${path}-shm away, then restore a backup with 'aiswarm db restore FILE'.`,
  )
}

/** Sets WAL only on a database that is being created; a file of another kind is left as it is. */
const prepare = (connection: Connection, path: string): void => {
  const tables = tableNames(connection)
  if (tables.length > 0 && !tables.includes('migration_history')) {
    throw new Refusal(
      'database_foreign',
      `${path} is an SQLite database, but not aiswarm's. Move it away and start again.`,
    )
  }
  const mode = journalMode(connection)
  if (mode === 'wal') return
  if (tables.length > 0)
    throw new Refusal(
      'database_foreign',
      `${path} is in journal mode '${mode}', not 'wal': an older aiswarm copied it, or another program changed it. Move it away, then restore it with 'aiswarm db restore FILE'.`,
    )
  connection.pragma('journal_mode = WAL')
}
