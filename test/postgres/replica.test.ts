import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { addSession, newAddress, openAt, ownCluster, sessionsIn } from '../support/board-on-server.ts'
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
