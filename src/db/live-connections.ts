import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Refusal } from '../domain/refusal.ts'
import { instant } from '../domain/time.ts'
import { backupTo } from './backup.ts'
import { type ConnectOptions, type Connections, openConnections, ReplacedMeanwhile } from './connections.ts'
import { knownDamage, rememberDamage } from './damage.ts'
import { KEPT } from './restore.ts'
import { identityOf } from './open-files.ts'
import { explain, isDamage, isDeviceError } from './explain.ts'
import { refuseNewerThan } from './migrate.ts'
import { changedRowsOf, type Connection, dataVersionOf, isBusy, sqliteCode } from './sqlite.ts'

/** The connections of a store over its life: opened anew when the database was replaced, or when the disk has failed. */
export class LiveConnections {
  readonly #path: string
  readonly #options: ConnectOptions
  readonly #patience: number
  #open: Connections
  #migrations: string
  #dataVersion: () => number
  #changedRows: () => number
  /** What `version` has counted before these connections were opened. */
  #counted: number
  /** The system failed to write: what the kernel holds for this descriptor is unknown, so the next write needs a new one. */
  #failed = false
  /** Why nothing can be read or written any more; only a restore ends it. */
  #lost: Refusal | undefined
  /** The file at the path when that was found. */
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
    if (this.#lost) throw this.#lost
    return this.#open.reader
  }

  /** Grows with every commit of another process, and when the database was replaced. */
  version(): number {
    // Whoever only reads would never notice that others write to another file by now.
    if (this.#open.files.moved() !== undefined) this.#moved()
    return this.#counted + this.#dataVersion()
  }

  explainRead(error: unknown): unknown {
    // A statement that writes is sent to the connection that only reads by a bug alone.
    return sqliteCode(error) === 'SQLITE_READONLY' ? error : this.#explain(error)
  }

  /** A database that is busy is left for the writer to wait for. */
  explainWrite(error: unknown): unknown {
    return isBusy(error) ? error : this.#explain(error)
  }

  #explain(error: unknown): unknown {
    this.#noteDamage(error)
    return explain(error, this.#path, this.#patience)
  }

  /** Runs `work`, which begins and ends one transaction, on a connection that is fit for it. */
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

  /** To be asked within a transaction, when nobody else can write: refuses where this process must not. */
  refuseUnfit(): void {
    if (this.#open.files.moved() !== undefined) throw new Moved()
    const damage = knownDamage(this.#path)
    if (damage) throw damage
    const migrations = this.#open.migrations()
    if (migrations === this.#migrations) return
    refuseNewerThan(this.#open.writer, this.#options.migrations)
    this.#migrations = migrations
  }

  /** How many rows the writer has changed so far. */
  changedRows(): number {
    return this.#changedRows()
  }

  close(): void {
    this.#open.close()
  }

  #noteDamage(error: unknown): void {
    if (isDamage(error)) rememberDamage(this.#path, (error as Error).message)
  }

  /** Another database has taken the place of this one, or its log is gone. Gives what the caller is told. */
  #moved(): Refusal {
    const now = identityOf(this.#path)
    if (this.#lost && (now === this.#seen || now === 'none')) return this.#lost
    this.#seen = now
    const replaced = this.#open.files.moved() === 'database' && now !== 'none'
    const saved = replaced && isKept(this.#path, this.#open.files.database) ? '' : ` ${this.#save()}`
    const what = replaced ? `${this.#path} was replaced` : now === 'none' ? `${this.#path} was removed` : `The write-ahead log of ${this.#path} was removed`
    const moved = (rest: string, cause?: unknown): Refusal => new Refusal('database_moved', `${what} while aiswarm had it open. ${rest}${saved}`, { cause })
    if (!replaced) return (this.#lost = moved('Nothing more is written.'))
    try {
      this.#renew()
      this.#lost = undefined
      return moved('Nothing was written; aiswarm has opened the new one. Look at it, then try again.')
    } catch (error) {
      const { message } = explain(error, this.#path, this.#patience) as Error
      const refused = moved(`Nothing more is written. ${message}`, error)
      return isBusy(error) || error instanceof ReplacedMeanwhile ? refused : (this.#lost = refused)
    }
  }

  /** This process alone still sees what was written last, so it writes that to a file of its own. Gives what to say of it. */
  #save(): string {
    const copy = `${this.#path}.saved-${instant(Date.now()).replace(/[-:.]/g, '')}-${process.pid}`
    try {
      backupTo(this.#open.reader, copy)
      return `Everything that was acknowledged is in ${copy}; 'aiswarm db restore ${copy}' puts it back.`
    } catch (error) {
      return `What it held could not be saved: ${(error as Error).message} 'aiswarm db restore FILE' puts a backup in its place.`
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

/** True where `db restore` has kept the database that was replaced. */
const isKept = (path: string, identity: string): boolean =>
  readdirSync(dirname(path)).some((name) => name.startsWith(`${basename(path)}${KEPT}`) && identityOf(join(dirname(path), name)) === identity)

/** Ends a transaction whose database is not the one at the path any more. */
class Moved extends Error {}
