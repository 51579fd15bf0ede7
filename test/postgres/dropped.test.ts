import { sql } from 'kysely'
import pg from 'pg'
import { expect, it } from 'vitest'
import { isRefusal } from '../../src/domain/rules/refusal.ts'
import { addSession, newAddress, openAt, ownCluster, proxyTo, runSql, sessionsIn } from '../support/board-on-server.ts'

const cluster = ownCluster()

it('a write over a network that drops packets is refused, and works again at once when the network is back', async () => {
  const { address, drop } = await proxyTo(cluster, newAddress(cluster))
  const store = await openAt(address)
  await addSession(store, 'before')
  drop(true)
  const error: unknown = await addSession(store, 'during').then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(isRefusal(error) && error.code).toBe('store_unreachable')
  drop(false)
  await addSession(store, 'after')
  expect(await sessionsIn(store)).toEqual(['after', 'before'])
})

it('a statement that takes long is left alone while the server works on it', async () => {
  const store = await openAt(newAddress(cluster))
  await store.write((db) => sql`SELECT pg_sleep(18)`.execute(db))
  expect(await runSql(cluster, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

it('a statement that takes long is left alone while the server has no connection for a question about it', async () => {
  const store = await openAt(newAddress(cluster))
  const others: pg.Client[] = []
  const { folder } = cluster
  const fill = async (): Promise<void> => {
    for (;;) {
      const client = new pg.Client({ host: folder, user: 'owner', database: 'postgres' })
      client.on('error', () => {})
      try {
        await client.connect()
      } catch (error) {
        expect(error).toMatchObject({ code: '53300' })
        return
      }
      others.push(client)
    }
  }
  let runs = 0
  await store.write(async (db) => {
    runs++
    await fill()
    await sql`SELECT pg_sleep(20)`.execute(db)
  })
  await Promise.all(others.map((client) => client.end()))
  expect(runs).toBe(1)
})
