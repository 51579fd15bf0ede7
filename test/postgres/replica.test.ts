import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { wasCommitted } from '../../src/db/postgres/transaction.ts'
import { serverAt } from '../../src/db/postgres/server.ts'
import { addSession, newAddress, openAt, ownCluster, runSql, sessionsIn } from '../support/board-on-server.ts'
import { refusal } from '../support/core.ts'
import { postgresScripts } from '../support/postgres.ts'
import { startReplica } from '../support/replica.ts'

// A real replica, which follows the primary and cannot be written.

const cluster = ownCluster()

test('a replica shows the board, and a write names what to change', async () => {
  const address = newAddress(cluster)
  const primary = await openAt(address)
  await addSession(primary, 'before')
  const { folder, remove } = startReplica(cluster)
  onTestFinished(remove)
  const there = { ...address, url: address.url.replace(cluster.folder, folder) }
  const store = await openAt(there)
  await expect.poll(() => sessionsIn(store)).toEqual(['before'])
  const { code, message } = await refusal(addSession(store, 'late'))
  expect(code).toBe('store_read_only')
  expect(message).toMatch(
    /takes no writes: it is a replica, or was made read-only\. Name its primary in the store's address\.$/,
  )
  await addSession(primary, 'then')
  await expect.poll(() => sessionsIn(store)).toEqual(['before', 'then'])
  const none = await refusal(openPostgres({ ...there, schema: 'none' }, { migrations: postgresScripts }))
  expect(none.message).toContain("it is a replica, or was made read-only. Name its primary in the store's address.")
})

test('a standby that has not got to a commit does not say that it was undone', async () => {
  const address = newAddress(cluster)
  const { folder, remove, cut } = startReplica(cluster, { name: 'behind' })
  onTestFinished(remove)
  const server = serverAt({ ...address, url: address.url.replace(cluster.folder, folder) })
  onTestFinished(() => server.end())
  const written = async () =>
    (await runSql<{ xid: string }>(cluster, 'SELECT pg_current_xact_id()::text AS xid'))[0]!.xid
  const { life, ...session } = await server.connect()
  session.release()
  const asked = async (xid: string) => {
    const board = { server, place: 'the standby', patience: 1500 }
    return wasCommitted(board, { xid, life }, new Error('Connection terminated'))
  }
  const seen = await written()
  await expect.poll(() => asked(seen).catch(() => undefined)).toBe(true)
  cut()
  const later = await written()
  expect(await refusal(asked(later))).toMatchObject({ code: 'store_unreachable', retryable: false })
})

test('a statement that a standby ends in order to catch up is refused, and not reported as a bug', async () => {
  const address = newAddress(cluster)
  await openAt(address)
  const { folder, remove } = startReplica(cluster, { name: 'early', settings: { max_standby_streaming_delay: '0' } })
  onTestFinished(remove)
  const store = await openAt({ ...address, url: address.url.replace(cluster.folder, folder) })
  const long = store.reading!(async (db) => {
    await db.selectFrom('tasks').selectAll().execute()
    await sql`SELECT pg_sleep(20)`.execute(db)
  })
  const ended = refusal(long)
  // It takes a lock that the statement holds.
  await runSql(cluster, `ALTER TABLE ${address.schema}.tasks SET (fillfactor = 90)`)
  await runSql(cluster, `BEGIN; LOCK TABLE ${address.schema}.tasks IN ACCESS EXCLUSIVE MODE; COMMIT`)
  expect(await ended).toMatchObject({ code: 'database_busy', retryable: true })
  expect((await ended).message).toContain('conflict with recovery')
})
