import { setTimeout as sleep } from 'node:timers/promises'
import { busy, explain } from '../engine/explain.ts'
import { type Connection, isBusy } from '../engine/sqlite.ts'

/** The default wait of a write for others (ms). */
export const PATIENCE = 10_000

/**
 * Milliseconds until the next try of a writer that has waited for `waited` ms: random, so that writers do not
 * synchronise, and shorter the longer it has waited, so that none is starved; but never so short that many waiting
 * writers take the CPU from the active one. Measured in one run with 16 writers: a cap that falls from 30 to 6 ms
 * within 72 ms gives a p99 of 97 ms and a worst of 161 ms; from 14 to 6 within 160 ms, 146 and 303. A cap of 3 loses
 * calls among 50 writers.
 */
const pauseAfter = (waited: number): number => 1 + Math.random() * Math.max(6, 30 - waited / 3)

/**
 * Runs one transaction. On BUSY the whole transaction is retried after a short random pause, so that no writer is
 * starved; `onWait` receives the time waited (ms).
 */
export const writeWhenFree = async <T>(
  connection: Connection,
  path: string,
  work: () => Promise<T>,
  patience: number = PATIENCE,
  onWait: (ms: number) => void = () => {},
): Promise<T> => {
  const began = performance.now()
  let waited = 0
  try {
    for (;;) {
      try {
        return await inTransaction(connection, work)
      } catch (error) {
        if (!isBusy(error)) throw explain(error, path, patience)
        if (performance.now() - began > patience) throw busy(path, patience)
        await sleep(pauseAfter(performance.now() - began))
        waited = performance.now() - began
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
