import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { instant } from '../../domain/words/time.ts'
import { backupTo } from './backup.ts'
import {
  type ConnectOptions,
  type Connections,
  openConnections,
  refuseGone,
  ReplacedMeanwhile,
  whyGone,
} from './connections.ts'
import { knownDamage, rememberDamage } from './damage.ts'
import { KEPT } from './restore.ts'
import { identityOf } from '../engine/open-files.ts'
import { explain, isDamage, isDeviceError } from '../engine/explain.ts'
import { refuseNewerThan } from './migrate.ts'
import { changedRowsOf, type Connection, dataVersionOf, isBusy, sqliteCode } from '../engine/sqlite.ts'

/** Manages a store's connections: opens them again after the database was replaced, or after a disk error. */
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
