import { chmodSync, closeSync, existsSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { instant } from '../../domain/words/time.ts'
import { backupTo, finishRestore, isBeingRestored, KEPT } from './backup.ts'
import { checkAfterUncleanEnd, knownDamage, rememberDamage, wasLeftOpen } from './damage.ts'
import {
  changedRowsOf,
  connect,
  type Connection,
  dataVersionOf,
  journalMode,
  migrationsIn,
  tableNames,
} from './database.ts'
import { explain, isBusy, isDamage, isDeviceError, sqliteCode } from './errors.ts'
import { identityOf, openFiles, type OpenFiles, SHM, WAL } from './files.ts'
import { migrate, refuseNewerThan } from './migrations.ts'

/**
 * Manages the two connections of a store: opens them, and opens them again after the database was replaced, or after a
 * disk error.
 */
export class LiveConnections {
  readonly #path: string
  readonly #options: ConnectOptions
  readonly #patience: number
  #open: Connections
  #migrations: string
  #dataVersion: () => number
  #changedRows: () => number
  /** The count of `version` before these connections were opened. */
  #counted: number
  /** True after a failed write: the kernel's state of this descriptor is unknown, so the next write needs a new one. */
  #failed = false
  /** The reason why nothing can be read or written any more; only a restore ends it. */
  #lost: Refusal | undefined
  /** The reason why the rows are those of the past; the board may come back. */
  #gone: Refusal | undefined
  /** The identity of the file at the path when that was found. */
  #seen = ''

  constructor(path: string, options: ConnectOptions, patience: number) {
    this.#path = path
    this.#options = options
    this.#patience = patience
    this.#open = openConnections(path, options)
    this.#migrations = this.#open.migrations()
    this.#dataVersion = dataVersionOf(this.#open.writer)
    this.#changedRows = changedRowsOf(this.#open.writer)
    this.#counted = -this.#dataVersion()
  }

  get writer(): Connection {
    return this.#open.writer
  }

  get reader(): Connection {
    const lost = this.#lost ?? this.#gone
    if (lost) throw lost
    return this.#open.reader
  }

  /** Grows with every commit of another process, and when the database was replaced. */
  version(): number {
    // A process that only reads would never notice that others write to a replaced file.
    if (this.#open.files.moved() !== undefined) this.#moved()
    const gone = whyGone(this.#path)
    if ((gone === undefined) !== (this.#gone === undefined)) this.#counted++
    this.#gone = gone
    return this.#counted + this.#dataVersion()
  }

  explainRead(error: unknown): unknown {
    // Only a bug sends a write to the read-only connection.
    return sqliteCode(error) === 'SQLITE_READONLY' ? error : this.#explain(error)
  }

  /** A busy database is left to the writer, which waits. */
  explainWrite(error: unknown): unknown {
    return isBusy(error) ? error : this.#explain(error)
  }

  #explain(error: unknown): unknown {
    this.#noteDamage(error)
    return explain(error, this.#path, this.#patience)
  }

  /** Runs `work`, which consists of one transaction, on a valid connection. */
  async writing<T>(work: (writer: Connection) => Promise<T>): Promise<T> {
    if (this.#failed) this.#renew()
    try {
      return await work(this.#open.writer)
    } catch (error) {
      const cause = error instanceof Refusal ? error.cause : error
      this.#noteDamage(cause)
      if (isDeviceError(cause)) this.#failed = true
      if (error instanceof Moved) throw this.#moved()
      throw error
    }
  }

  /** Must be called within a transaction, when no other process can write: refuses if this process must not. */
  refuseUnfit(): void {
    if (this.#open.files.moved() !== undefined) throw new Moved()
    refuseGone(this.#path)
    const damage = knownDamage(this.#path)
    if (damage) throw damage
    const migrations = this.#open.migrations()
    if (migrations === this.#migrations) return
    refuseNewerThan(this.#open.writer, this.#options.migrations)
    this.#migrations = migrations
  }

  /** The number of rows that the writer has changed so far. */
  changedRows(): number {
    return this.#changedRows()
  }

  close(): void {
    this.#open.close()
  }

  #noteDamage(error: unknown): void {
    if (isDamage(error)) rememberDamage(this.#path, (error as Error).message)
  }

  /** Handles a replaced database, or a missing log. Returns the refusal for the caller. */
  #moved(): Refusal {
    const now = identityOf(this.#path)
    if (this.#lost && (now === this.#seen || now === 'none')) return this.#lost
    this.#seen = now
    const replaced = this.#open.files.moved() === 'database' && now !== 'none'
    const saved = replaced && isKept(this.#path, this.#open.files.database) ? '' : ` ${this.#save()}`
    const what = replaced
      ? `${this.#path} was replaced`
      : now === 'none'
        ? `${this.#path} was removed`
        : `The write-ahead log of ${this.#path} was removed`
    const moved = (rest: string, cause?: unknown): Refusal =>
      new Refusal('database_moved', `${what} while aiswarm had it open. ${rest}${saved}`, { cause })
    if (!replaced) return (this.#lost = moved('Nothing more is written.'))
    try {
      this.#renew()
      this.#lost = undefined
      return moved('Nothing was written; aiswarm has opened the new one. Check it, then try again.')
    } catch (error) {
      const { message } = explain(error, this.#path, this.#patience) as Error
      const refused = moved(`Nothing more is written. ${message}`, error)
      return isBusy(error) || error instanceof ReplacedMeanwhile ? refused : (this.#lost = refused)
    }
  }

  /** Only this process still sees the last writes, so it saves them to a separate file. Returns a sentence about it. */
  #save(): string {
    const copy = `${this.#path}.saved-${instant(Date.now()).replace(/[-:.]/g, '')}-${process.pid}`
    try {
      backupTo(this.#open.reader, copy)
      return `Everything that was acknowledged is in ${copy}. 'aiswarm db restore ${copy}' restores it.`
    } catch (error) {
      return `Its content could not be saved: ${(error as Error).message} 'aiswarm db restore FILE' restores a backup.`
    }
  }

  #renew(): void {
    const fresh = openConnections(this.#path, this.#options)
    const old = this.#open
    const before = this.#counted + this.#dataVersion()
    this.#open = fresh
    this.#migrations = fresh.migrations()
    this.#dataVersion = dataVersionOf(fresh.writer)
    this.#changedRows = changedRowsOf(fresh.writer)
    this.#counted = before + 1 - this.#dataVersion()
    this.#failed = false
    old.close()
  }
}

/** True if `db restore` has kept the replaced database. */
const isKept = (path: string, identity: string): boolean =>
  readdirSync(dirname(path)).some(
    (name) => name.startsWith(`${basename(path)}${KEPT}`) && identityOf(join(dirname(path), name)) === identity,
  )

/** Ends a transaction whose database is no longer the one at the path. */
class Moved extends Error {}

/** The two connections of a store, to the same files. */
interface Connections {
  readonly writer: Connection
  readonly reader: Connection
  readonly files: OpenFiles
  /** Changes when a migration was recorded; must be read within a transaction. */
  readonly migrations: () => string
  close(): void
}

/** The database was replaced while it was being opened; the caller opens it again. */
export class ReplacedMeanwhile extends Error {}

interface ConnectOptions {
  readonly migrations: string
  readonly warn: (sentence: string) => void
  /** SQLite's own wait while opening (ms). */
  readonly wait: number
}

/** Opens or creates the database and applies all migrations. */
const openConnections = (path: string, { migrations, warn, wait }: ConnectOptions): Connections => {
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
const refuseGone = (path: string): void => {
  const gone = whyGone(path)
  if (gone) throw gone
}

/** Why the board of this file counts no longer; undefined while it does. */
const whyGone = (path: string): Refusal | undefined => {
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
