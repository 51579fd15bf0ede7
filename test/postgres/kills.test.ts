import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { system } from '../../src/domain/agent/actor.ts'
import { defaultSettings } from '../../src/domain/settings/settings.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { syncPersonas } from '../../src/operations/agents/persona-files.ts'
import type { PostgresStore } from '../../src/db/postgres/open.ts'
import { expectDurable } from '../support/board-of-test.ts'
import { addSession, newAddress, openAt, ownCluster, runSql } from '../support/board-on-server.ts'
import { dose } from '../support/dose.ts'
import { startFixture } from '../support/store.ts'

const KILLS = dose(100, 30)
const STOPS = 5
/** The longest time for which a writer may work before it is killed, and a server before it is stopped (ms). */
const LONGEST = 300

const cluster = ownCluster({ fsync: true })

const withPersonas = async (store: PostgresStore): Promise<void> => {
  await perform(
    {
      store,
      root: '/',
      allowRules: () => [],
      clock: () => new Date().toISOString(),
      settings: defaultSettings,
      kinds: [],
      newToken: () => '',
      memoryUser: 'default_user',
      launchToken: () => '',
    },
    syncPersonas,
    { files: [] },
    system(),
  )
}

/** A process that writes, and the titles that were acknowledged to it. */
const startWriter = (url: string, schema: string, word: string): { child: ChildProcess; titles: () => string[] } => {
  const child = startFixture('server-writer', [url, schema, word])
  let output = ''
  child.stdout!.setEncoding('utf8').on('data', (piece: string) => (output += piece))
  // A line without its end was not written as a whole.
  return { child, titles: () => output.split('\n').slice(0, -1) }
}

const expectEach = async (store: PostgresStore, acknowledged: readonly string[]): Promise<void> => {
  const rows = await store.read.selectFrom('tasks').select('title').execute()
  const titles = rows.map(({ title }) => title)
  expect(new Set(titles).size).toBe(titles.length)
  const held = new Set(titles)
  expect(acknowledged.filter((title) => !held.has(title))).toEqual([])
  expect(await store.maintenance.check()).toEqual({ damaged: false, findings: [] })
}

const locks = () => runSql(cluster, "SELECT pid FROM pg_locks WHERE locktype = 'advisory'")

test('the server of these kills writes each commit to the disk', () => expectDurable(cluster.url()))

test(
  `${KILLS} writers that are killed lose no acknowledged write, and leave no lock`,
  { timeout: 600_000 },
  async () => {
    const address = newAddress(cluster)
    const store = await openAt(address)
    await withPersonas(store)
    const acknowledged: string[] = []
    const killOne = async (n: number): Promise<void> => {
      const { child, titles } = startWriter(address.url, address.schema, `writer-${n}`)
      await once(child.stdout!, 'data')
      await sleep(Math.random() * LONGEST)
      child.kill('SIGKILL')
      await once(child, 'close')
      acknowledged.push(...titles())
    }
    // Two at a time, so that one waits for the lock that the other holds when it is killed.
    for (let n = 0; n < KILLS; n += 2) await Promise.all([killOne(n), killOne(n + 1)])
    await expect.poll(locks).toEqual([])
    await addSession(store, 'after')
    await expectEach(store, acknowledged)
  },
)

test(
  `a server that stops ${STOPS} times without a checkpoint loses no acknowledged write`,
  { timeout: 600_000 },
  async () => {
    const address = newAddress(cluster)
    const store = await openAt(address, { patience: 60_000 })
    await withPersonas(store)
    const { child, titles } = startWriter(address.url, address.schema, 'writer')
    for (let stop = 0; stop < STOPS; stop++) {
      const before = titles().length
      await expect.poll(() => titles().length).toBeGreaterThan(before)
      await sleep(Math.random() * LONGEST)
      cluster.stop('immediate')
      cluster.start()
    }
    const before = titles().length
    await expect.poll(() => titles().length).toBeGreaterThan(before)
    expect(child.exitCode).toBe(null)
    child.kill('SIGKILL')
    await once(child, 'close')
    await expect.poll(locks).toEqual([])
    await addSession(store, 'after')
    await expectEach(store, titles())
  },
)
