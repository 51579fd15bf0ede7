import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { PostgresStore } from '../../src/db/postgres/open.ts'
import { addSession, newAddress, openAt, ownCluster, runSql, sessionsIn } from '../support/board-on-server.ts'
import { refusal } from '../support/core.ts'
import { needs } from '../support/needs.ts'
import { freePort } from '../support/postgres.ts'

// A server that ends the connections of a program which was stopped, or slept: the program has heard nothing of it when it
// continues.

const port = await freePort()
const cluster = ownCluster({ fsync: false, settings: { listen_addresses: '127.0.0.1', port: String(port) } })

/** How a program reaches the server. The system may say that the connection has ended before the server's last word is read. */
const ways = { socket: `localhost/postgres?host=${cluster.folder}&port=${port}`, TCP: `127.0.0.1:${port}/postgres` }

/** A board whose server ends connections after so long without a statement. */
const boardOf = async (role: string, way: string, setting: string): Promise<PostgresStore> => {
  await runSql(cluster, `CREATE ROLE ${role} SUPERUSER LOGIN; ALTER ROLE ${role} SET ${setting}`, port)
  const { schema } = newAddress(cluster)
  const store = await openAt({ url: `postgresql://${role}@${way}`, schema }, { patience: 1000 })
  await addSession(store, 'before')
  return store
}

/** Nothing of this program runs, not even what hears the end of a connection. */
const stopFor = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** Has several connections, none of which is used then. */
const connected = (store: PostgresStore): Promise<unknown> =>
  Promise.all(Array.from({ length: 4 }, () => store.reading!((db) => sql`SELECT pg_sleep(0.05)`.execute(db))))

test.each(Object.entries(ways))(
  'a program that was stopped reads and writes over the %s as if the server had not ended its idle connections',
  async (name, way) => {
    const store = await boardOf(`idle_${name}`.toLowerCase(), way, "idle_session_timeout = '300ms'")
    for (const work of [
      () => sessionsIn(store),
      () => store.reading!((db) => db.selectFrom('sessions').select('id').execute()),
      () => addSession(store, 'then'),
      () => Promise.all([sessionsIn(store), sessionsIn(store), sessionsIn(store), sessionsIn(store)]),
    ]) {
      await connected(store)
      stopFor(1000)
      await work()
    }
    expect(await sessionsIn(store)).toEqual(['before', 'then'])
  },
)

test('a read is done again only as long as nothing of it was answered', async () => {
  const store = await boardOf('half_read', ways.TCP, "idle_session_timeout = '0'")
  let runs = 0
  const { code, message } = await refusal(
    store.reading!(async (db) => {
      runs++
      await sql`SET LOCAL idle_in_transaction_session_timeout = '300ms'`.execute(db)
      stopFor(1000)
      return sql`SELECT 1`.execute(db)
    }),
  )
  expect(runs).toBe(1)
  expect(code).toBe('store_unreachable')
  expect(message).toMatch(
    /ended the connection, because this program was stopped in the middle of its work \(.*\)\. Nothing was written; try again\./,
  )
})

test.each(Object.entries(ways))(
  'a program that was stopped in the middle of a write over the %s for longer than a write waits does it then, once',
  async (name, way) => {
    const store = await boardOf(`stopped_${name}`.toLowerCase(), way, "idle_session_timeout = '0'")
    let runs = 0
    const write = store.write(async (db) => {
      await db
        .insertInto('sessions')
        .values({ id: `run-${++runs}`, status: 'completed', started_at: 'x', ended_at: 'x' })
        .execute()
      await sql`SET LOCAL idle_in_transaction_session_timeout = '300ms'`.execute(db)
      if (runs === 1) stopFor(2000)
    })
    await write
    expect(await sessionsIn(store)).toEqual(['before', 'run-2'])
  },
)

test('a write that takes longer than the server allows says so, and what to raise', async (context) => {
  const known = await runSql(cluster, "SELECT 1 AS n FROM pg_settings WHERE name = 'transaction_timeout'", port)
  needs(context, known.length > 0, 'its PostgreSQL is older than 17 and has no transaction_timeout')
  const store = await boardOf('slow', ways.TCP, "idle_session_timeout = '0'")
  await runSql(cluster, "ALTER ROLE slow SET transaction_timeout = '300ms'", port)
  await runSql(cluster, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'slow'", port)
  const { message } = await refusal(store.write((db) => sql`SELECT pg_sleep(2)`.execute(db)))
  expect(message).toMatch(/the work took longer than its transaction_timeout \(.*\)\. Nothing was written; raise that/)
})
