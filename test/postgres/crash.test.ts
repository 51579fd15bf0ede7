import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Db } from '../../src/db/engine/db.ts'
import { addSession, newAddress, openAt, ownCluster, runSql, sessionsIn } from '../support/board-on-server.ts'
import { refusal } from '../support/core.ts'

// A server that crashes before a commit: what was not on its disk is gone, and it gives the number of such a transaction to
// another one.

const cluster = ownCluster({ fsync: true, settings: { wal_writer_delay: '10s' } })

const insert = (db: Db, id: string): Promise<unknown> =>
  db.insertInto('sessions').values({ id, status: 'completed', started_at: 'x', ended_at: 'x' }).execute()

const crash = (): void => {
  cluster.stop('immediate')
  cluster.start()
}

test('a commit is not called done because another transaction has its number after a crash', async () => {
  const store = await openAt(newAddress(cluster), { patience: 60_000 })
  await runSql(cluster, 'CREATE TABLE others (one int)')
  const written = store.write(async (db) => {
    await insert(db, 'lost')
    const { rows } = await sql<{ xid: string }>`SELECT pg_current_xact_id()::text AS xid`.execute(db)
    crash()
    const again = () =>
      runSql<{ xid: string }>(cluster, 'INSERT INTO others VALUES (1) RETURNING pg_current_xact_id()::text AS xid')
    await expect.poll(async () => (await again())[0]!.xid, { timeout: 20_000 }).toBe(rows[0]!.xid)
  })
  const { code, message } = await refusal(written)
  expect(code).toBe('store_unreachable')
  expect(message).toContain('Look at the board before you repeat the command')
  expect(await sessionsIn(store)).toEqual([])
})

test('a write that a crash has undone is done once', async () => {
  const store = await openAt(newAddress(cluster), { patience: 60_000 })
  await addSession(store, 'before')
  let runs = 0
  await store.write(async (db) => {
    runs++
    await insert(db, 'second')
    if (runs === 1) crash()
  })
  expect(runs).toBe(2)
  expect(await sessionsIn(store)).toEqual(['before', 'second'])
})
