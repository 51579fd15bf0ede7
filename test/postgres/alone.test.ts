import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addSession, newAddress, openAt, ownCluster, runSql, sessionsIn } from '../support/board-on-server.ts'
import { startFixture } from '../support/store.ts'

// Each write is alone on its board, and is run again if it meets another one.

const cluster = ownCluster()

test('each write reads what the write before it has left', async () => {
  const address = newAddress(cluster)
  const stores = [await openAt(address), await openAt(address), await openAt(address)]
  await addSession(stores[0]!, 'counter')
  const countOne = (at: number): Promise<unknown> =>
    stores[at % stores.length]!.write(async (db) => {
      const { summary } = await db.selectFrom('sessions').select('summary').executeTakeFirstOrThrow()
      await db
        .updateTable('sessions')
        .set({ summary: String(Number(summary ?? 0) + 1) })
        .execute()
    })
  await Promise.all(Array.from({ length: 60 }, (_, at) => countOne(at)))
  expect(await stores[0]!.read.selectFrom('sessions').select('summary').execute()).toEqual([{ summary: '60' }])
})

test.each(['40001', '40P01'])('a write that ends with conflict %s is run again as a whole', async (state) => {
  const store = await openAt(newAddress(cluster))
  let runs = 0
  await store.write(async (db) => {
    runs++
    await db.insertInto('sessions').values({ id: 'one', status: 'completed', started_at: 'x', ended_at: 'x' }).execute()
    if (runs === 1) await sql.raw(`DO $$ BEGIN RAISE EXCEPTION 'met' USING ERRCODE = '${state}'; END $$`).execute(db)
  })
  expect(runs).toBe(2)
  expect(await sessionsIn(store)).toEqual(['one'])
})

test('a transaction whose process was stopped ends before other writers lose patience, and is run again', async () => {
  const address = newAddress(cluster)
  // Both with the patience that a program has.
  const [still, other] = [await openAt(address), await openAt(address)]
  let runs = 0
  let wake = (): void => {}
  const begun = Promise.withResolvers<void>()
  const written = still.write(async (db) => {
    const add = () =>
      db.insertInto('sessions').values({ id: 'still', status: 'completed', started_at: 'x', ended_at: 'x' }).execute()
    await add()
    if (runs++ > 0) return
    begun.resolve()
    await new Promise<void>((resolve) => (wake = resolve))
  })
  await begun.promise
  await addSession(other, 'other')
  wake()
  await written
  expect(runs).toBe(2)
  expect(await sessionsIn(other)).toEqual(['other', 'still'])
})

test('a write that others keep from the board for too long says so', async () => {
  const address = newAddress(cluster)
  const [one, other] = [await openAt(address), await openAt(address, { patience: 200 })]
  let release = (): void => {}
  let held: Promise<unknown> = Promise.resolve()
  await new Promise<void>((begun) => {
    held = one.write(async () => {
      begun()
      await new Promise<void>((resolve) => (release = resolve))
    })
  })
  await expect(addSession(other, 'late')).rejects.toMatchObject({ code: 'database_busy' })
  release()
  await held
  await addSession(other, 'then')
  expect(await sessionsIn(one)).toEqual(['then'])
})

test('a process survives when its connections are ended again and again', async () => {
  const address = newAddress(cluster)
  await openAt(address)
  await runSql(
    cluster,
    `INSERT INTO ${address.schema}.personas (id, name, definition) VALUES ('implementer', 'Implementer', 'x')`,
  )
  const child = startFixture('server-writer', [address.url, address.schema, 'writer'])
  let output = ''
  child.stdout!.setEncoding('utf8').on('data', (piece: string) => (output += piece))
  const lines = (): number => output.split('\n').length - 1
  for (let n = 0; n < 10; n++) {
    const before = lines()
    await expect.poll(() => (child.exitCode === null ? lines() : 'it ended')).not.toBe(before)
    expect(child.exitCode).toBe(null)
    await sleep(Math.random() * 20)
    await runSql(
      cluster,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'aiswarm' AND query NOT LIKE 'LISTEN%'",
    )
  }
  const before = lines()
  await expect.poll(lines).toBeGreaterThan(before)
})
