import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { PostgresStore } from '../../src/db/postgres/open.ts'
import { type Server, serverAt } from '../../src/db/postgres/server.ts'
import { addSession, newAddress, openAt, ownCluster, runSql, sessionsIn } from '../support/board-on-server.ts'

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

test('a command notifies others of its commit even if it ends at once, and does not if it only reads', async () => {
  const address = newAddress(cluster)
  await openAt(address).then((store) => store.close())
  const heard: string[] = []
  const client = new pg.Client({ host: cluster.folder, user: 'owner', database: 'postgres' })
  client.on('notification', ({ payload = '' }) => heard.push(payload))
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(`LISTEN aiswarm_${address.schema}`)
  const command = async (work: (store: PostgresStore) => Promise<unknown>): Promise<void> => {
    const server = serverAt(address)
    let ended: Promise<void> | undefined
    const store = await openAt(address, { server: { ...server, end: () => (ended = server.end()) } })
    await work(store)
    store.close()
    await ended
  }
  await command((store) => addSession(store, 'one'))
  await command(sessionsIn)
  await client.query(`NOTIFY aiswarm_${address.schema}, 'the end'`)
  await expect.poll(() => heard).toContain('the end')
  expect(heard).toEqual([expect.stringMatching(/^\d+\.\w+$/), 'the end'])
})

test('a process takes no quiet write of its own for a commit of others, unless the board has several hosts', async () => {
  const address = newAddress(cluster)
  const store = await openAt(address, { server: throughPooler(serverAt(address)) })
  await expect.poll(() => store.hears()).toBe(false)
  const host = (id: string): Promise<unknown> =>
    runSql(
      cluster,
      `INSERT INTO ${address.schema}.hosts (id, name, machine, root, state) VALUES ('${id}', '${id}', 'm', '/${id}', 'up')`,
    )
  const hosts = (await runSql<{ id: string }>(cluster, `SELECT id FROM ${address.schema}.hosts`)).map(({ id }) => id)
  expect(hosts).toEqual(['local'])
  store.standFor!({ hostId: 'local', seen: () => undefined })
  const beat = (): Promise<unknown> =>
    store.write((db) => db.updateTable('hosts').set({ load: 1 }).where('id', '=', 'local').execute(), { quiet: true })
  /** How often the watch has found something after three heartbeats, with time for a look after each. */
  const foundByBeats = async (): Promise<number> => {
    const before = store.version()
    for (let n = 0; n < 3; n++) {
      await beat()
      await sleep(1200)
      store.version()
    }
    return store.version() - before
  }
  await foundByBeats()
  expect(await foundByBeats()).toBe(0)
  await host('b')
  await foundByBeats()
  expect(await foundByBeats()).toBeGreaterThan(0)
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

test('a process that could not listen when it began hears later', async () => {
  const address = newAddress(cluster)
  const server = serverAt(address)
  let ears = 0
  const store = await openAt(address, {
    server: {
      ...server,
      listen: (channel, heard) =>
        ++ears === 1 ? Promise.reject(new Error('the server is starting up')) : server.listen!(channel, heard),
    },
  })
  await expect.poll(() => store.hears()).toBe(false)
  await expect.poll(() => store.hears()).toBe(true)
})
