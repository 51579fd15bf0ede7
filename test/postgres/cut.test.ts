import { expect, test } from 'vitest'
import { addSession, newAddress, openAt, ownCluster, proxyTo, runSql, sessionsIn } from '../support/board-on-server.ts'
import type { Db } from '../../src/db/engine/db.ts'
import { sql } from 'kysely'

// Connections that break in the middle of a write.

const cluster = ownCluster()

const pidOf = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db)
  return rows[0]!.pid
}

const terminate = (pid: number): Promise<unknown> => runSql(cluster, `SELECT pg_terminate_backend(${pid})`)

const insert = (db: Db, id: string): Promise<unknown> =>
  db.insertInto('sessions').values({ id, status: 'completed', started_at: 'x', ended_at: 'x' }).execute()

const terminated = (pid: number): Promise<unknown> =>
  expect.poll(() => runSql(cluster, `SELECT pid FROM pg_stat_activity WHERE pid = ${pid}`)).toEqual([])

test.each(['before', 'after'] as const)(
  'a commit whose connection is cut %s the server has it is done once',
  async (at) => {
    const { address, cutCommit } = await proxyTo(cluster, newAddress(cluster))
    const store = await openAt(address)
    await addSession(store, 'first')
    cutCommit(at)
    let runs = 0
    await store.write((db) => (runs++, insert(db, 'second')))
    expect(runs).toBe(at === 'before' ? 2 : 1)
    await addSession(store, 'third')
    expect(await sessionsIn(store)).toEqual(['first', 'second', 'third'])
  },
)

test('a write whose connection ends in the middle of a statement is done once', async () => {
  const store = await openAt(newAddress(cluster))
  let runs = 0
  await store.write(async (db) => {
    runs++
    await insert(db, 'one')
    const pid = await pidOf(db)
    if (runs > 1) return
    const asleep = sql`SELECT pg_sleep(60)`.execute(db)
    await Promise.all([asleep, terminate(pid)])
  })
  expect(runs).toBe(2)
  expect(await sessionsIn(store)).toEqual(['one'])
})

test('a write whose connection ends between two statements is done once', async () => {
  const store = await openAt(newAddress(cluster))
  let runs = 0
  await store.write(async (db) => {
    runs++
    await insert(db, 'one')
    const pid = await pidOf(db)
    if (runs === 1) {
      await terminate(pid)
      await terminated(pid)
    }
    await sql`SELECT 1`.execute(db)
  })
  expect(runs).toBe(2)
  expect(await sessionsIn(store)).toEqual(['one'])
})

test('a write in which the failure of a statement was passed over is not called done', async () => {
  const store = await openAt(newAddress(cluster))
  const written = store.write(async (db) => {
    await insert(db, 'one')
    await sql`SELECT 1 / 0`.execute(db).catch(() => {})
  })
  await expect(written).rejects.toThrow('nothing was committed')
  expect(await sessionsIn(store)).toEqual([])
  await addSession(store, 'two')
  expect(await sessionsIn(store)).toEqual(['two'])
})
