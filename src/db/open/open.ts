import { setTimeout as sleep } from 'node:timers/promises'
import { ReplacedMeanwhile } from './connections.ts'
import { busy, explain } from '../engine/explain.ts'
import { LiveConnections } from './live-connections.ts'
import type { Db } from '../engine/db.ts'
import { type Connection, isBusy, kyselyOver } from '../engine/sqlite.ts'
import { maintenanceOf } from './maintenance.ts'
import type { LockWaits, Store, WriteOptions } from '../engine/store.ts'
import { PATIENCE, writeWhenFree } from './transaction.ts'

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

const storeOver = (live: LiveConnections, path: string, migrations: string, patience: number): SqliteStore => {
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
