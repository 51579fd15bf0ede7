import { expect, test } from 'vitest'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { addSession, newAddress, openAt, ownCluster, runSql, sessionsIn } from '../support/board-on-server.ts'
import { refusal, refused } from '../support/core.ts'
import { postgresScripts } from '../support/postgres.ts'

// A server that goes away and comes back, and one that must not be written.

// A server that acknowledges commits before they are on the disk, as some administrators set it.
const cluster = ownCluster({ settings: { synchronous_commit: 'off', wal_writer_delay: '10s' } })

test('a board is read and written again after its server was stopped and started', async () => {
  const store = await openAt(newAddress(cluster), { patience: 1000 })
  await addSession(store, 'before')
  cluster.stop('immediate')
  const away = await refusal(addSession(store, 'while it is away'))
  expect(away.code).toBe('store_unreachable')
  expect(away.message).toMatch(
    /does not answer .*Nothing was written; check the server and the network, then try again\./,
  )
  expect(await refused(sessionsIn(store))).toBe('store_unreachable')
  const version = store.version()
  cluster.start()
  expect(await sessionsIn(store)).toEqual(['before'])
  await addSession(store, 'then')
  expect(await sessionsIn(store)).toEqual(['before', 'then'])
  await expect.poll(() => store.version()).toBeGreaterThan(version + 1)
  await expect.poll(() => store.hears()).toBe(true)
})

test('a write that waits for a server which comes back in time is done once', async () => {
  const store = await openAt(newAddress(cluster), { patience: 60_000 })
  await addSession(store, 'before')
  cluster.stop('immediate')
  const written = addSession(store, 'meanwhile')
  cluster.start()
  await written
  expect(await sessionsIn(store)).toEqual(['before', 'meanwhile'])
})

test('a server that is read-only is read, and a write names what to change', async () => {
  const store = await openAt(newAddress(cluster))
  await addSession(store, 'before')
  await runSql(cluster, 'ALTER ROLE owner SET default_transaction_read_only = on')
  await runSql(cluster, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'aiswarm'")
  const { code, message } = await refusal(addSession(store, 'then'))
  expect(code).toBe('store_read_only')
  expect(message).toContain("it is a replica, or was made read-only. Name its primary in the store's address.")
  expect(await sessionsIn(store)).toEqual(['before'])
  expect(await refused(openPostgres(newAddress(cluster), { migrations: postgresScripts }))).toBe('store_read_only')
  await runSql(
    cluster,
    'BEGIN; SET TRANSACTION READ WRITE; ALTER ROLE owner RESET default_transaction_read_only; COMMIT',
  )
  await runSql(cluster, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'aiswarm'")
  await addSession(store, 'then')
  expect(await sessionsIn(store)).toEqual(['before', 'then'])
})
