import { setTimeout as sleep } from 'node:timers/promises'
import { ReplacedMeanwhile } from './connections.ts'
import { busy, explain } from '../engine/explain.ts'
import { LiveConnections } from './live-connections.ts'
import { type Connection, type Db, isBusy, kyselyOver } from '../engine/sqlite.ts'
import { PATIENCE, writeWhenFree } from './transaction.ts'

/** The open database: one connection for writes, one read-only. */
export interface Store {
  readonly path: string
  /** The folder of the migration scripts. */
  readonly migrations: string
  /** The read-only connection, for screens and lists. */
  readonly read: Db
  /**
   * Runs `work` in one BEGIN IMMEDIATE transaction; waits for other writers, 10 s in total. `work` may await only the
   * database.
   */
  write<T>(work: (db: Db) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Grows with every commit of any process, except the quiet writes of this one. */
  version(): number
  /** How long the writes of this process have waited for those of others. */
  waits(): LockWaits
  /** The raw connections, for maintenance (`db check`, `db backup`). */
  readonly connection: Connection
  close(): void
}

export interface WriteOptions {
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
): Promise<Store> => {
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

const storeOver = (live: LiveConnections, path: string, migrations: string, patience: number): Store => {
  const db = kyselyOver({ connection: () => live.writer, explain: (error) => live.explainWrite(error) })
  let queue: Promise<unknown> = Promise.resolve()
  let waits: LockWaits = { times: 0, ms: 0, longest: 0 }
  const onWait = (ms: number): void =>
    void (waits = { times: waits.times + 1, ms: waits.ms + ms, longest: Math.max(waits.longest, ms) })
  // The writer's data_version does not count its own commits, so they are counted here: all except quiet ones and those
  // that changed nothing.
  let own = 0
  const write = <T>(work: (db: Db) => Promise<T>, { quiet = false }: WriteOptions = {}): Promise<T> => {
    const turn = queue.then(() =>
      live.writing(async (writer) => {
        const before = live.changedRows()
        // The lock is held now, so these checks stay valid until the commit.
        const looked = (): Promise<T> => (live.refuseUnfit(), work(db))
        const result = await writeWhenFree(writer, path, looked, patience, onWait)
        if (!quiet && live.changedRows() !== before) own++
        return result
      }),
    )
    queue = turn.catch(() => {})
    return turn
  }
  return {
    path,
    migrations,
    read: kyselyOver({ connection: () => live.reader, explain: (error) => live.explainRead(error) }),
    write,
    version: () => live.version() + own,
    waits: () => waits,
    get connection() {
      return live.writer
    },
    close: () => live.close(),
  }
}
