import { expect, test } from 'vitest'
import { type Server, serverAt } from '../../src/db/postgres/server.ts'
import { addSession, newAddress, openAt, ownCluster, runSql } from '../support/board-on-server.ts'

// How a process learns of the commits of others.

const cluster = ownCluster()

/** The server through a pooler that passes statements on and keeps every notification to itself. */
const throughPooler = (server: Server): Server => ({
  ...server,
  listen: (channel) => server.listen!(channel, () => {}),
})

test('a process hears the commits of others, and not those that change nothing', async () => {
  const address = newAddress(cluster)
  const [one, other] = [await openAt(address), await openAt(address)]
  await expect.poll(() => other.hears()).toBe(true)
  const before = other.version()
  await addSession(one, 'one')
  await expect.poll(() => other.version()).toBeGreaterThan(before)
})

test('a process whose notifications are lost says so, and sees the commits of others all the same', async () => {
  const address = newAddress(cluster)
  const one = await openAt(address)
  const deaf = await openAt(address, { server: throughPooler(serverAt(address)) })
  await expect.poll(() => deaf.hears()).toBe(false)
  const before = deaf.version()
  await addSession(one, 'one')
  await expect.poll(() => deaf.version()).toBeGreaterThan(before)
})

test('a process that hears polls as well, for a commit of another program', async () => {
  const address = newAddress(cluster)
  const store = await openAt(address)
  await expect.poll(() => store.hears()).toBe(true)
  const before = store.version()
  await runSql(cluster, `INSERT INTO ${address.schema}.sessions (id, started_at) VALUES ('foreign', 'x')`)
  await expect.poll(() => store.version()).toBeGreaterThan(before)
})

test('a process whose ear has become deaf makes another one', async () => {
  const address = newAddress(cluster)
  const server = serverAt(address)
  let [ears, deaf] = [0, false]
  const store = await openAt(address, {
    server: {
      ...server,
      listen: (channel, heard) => {
        const first = ++ears === 1
        return server.listen!(channel, (payload) => {
          if (!first || !deaf) heard(payload)
        })
      },
    },
  })
  await expect.poll(() => store.hears()).toBe(true)
  deaf = true
  await expect.poll(() => ears).toBe(2)
  await expect.poll(() => store.hears()).toBe(true)
})

test('a process that lost its ear hears again', async () => {
  const address = newAddress(cluster)
  const [one, other] = [await openAt(address), await openAt(address)]
  await expect.poll(() => other.hears()).toBe(true)
  await runSql(cluster, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'aiswarm'")
  const before = other.version()
  await addSession(one, 'one')
  await expect.poll(() => other.version()).toBeGreaterThan(before)
  await expect.poll(() => other.hears()).toBe(true)
})
