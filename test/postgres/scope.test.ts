import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { insertEvent, selectEvents, selectLastEventId } from '../../src/db/events.ts'
import type { Db } from '../../src/db/engine/db.ts'
import { serverAt } from '../../src/db/postgres/server.ts'
import { addSession, newAddress, openAt, ownCluster, runSql, sessionsIn } from '../support/board-on-server.ts'
import { eventually } from '../support/eventually.ts'
import { endsOrWaits, gateOn } from '../support/interleavings.ts'

// Writes that share the board with others, and what they leave for those who follow it.

const cluster = ownCluster()

const event = (actor: string) => ({
  at: '2026-01-30T14:22:33.000Z',
  actor,
  operation: 'claim_task',
  task_id: null,
  agent_id: null,
  worktree: null,
  details: null,
})

test('a follower that reads events by their numbers misses none of two writers', async () => {
  const address = newAddress(cluster)
  const gate = gateOn(serverAt(address))
  const [one, other] = [await openAt(address, { server: gate.server }), await openAt(address)]
  const session = await other.server.connect()
  onTestFinished(() => session.release())
  gate.hold('COMMIT')
  const first = one.write((db) => insertEvent(db, event('one')), { scope: { agentId: 'one' } })
  expect(await gate.reached()).toBe(true)
  const second = other.write((db) => insertEvent(db, event('other')), { scope: { agentId: 'other' } })
  await endsOrWaits(second, session)
  const afterId = await selectLastEventId(other.read)
  gate.letGo()
  await Promise.all([first, second])
  const followed = await selectEvents(other.read, { afterId, limit: 10 })
  expect(followed.map(({ actor }) => actor)).toEqual(['one', 'other'])
})

test('a follower sees an event at once while another program has written in a transaction that stays open', async () => {
  const store = await openAt(newAddress(cluster))
  const afterId = await selectLastEventId(store.read)
  const bystander = await store.server.connect()
  onTestFinished(() => bystander.release(true))
  await bystander.script('BEGIN; SELECT pg_current_xact_id()')
  await store.write((db) => insertEvent(db, event('one')))
  expect((await selectEvents(store.read, { afterId, limit: 10 })).map(({ actor }) => actor)).toEqual(['one'])
  // An order by transactions, which is not used, would hold it back until the end of every transaction of the server.
  const { rows } = await sql<{ settled: number }>`
    SELECT max(pg_snapshot_xmin(pg_current_snapshot())::text::bigint) > max(xmin::text::bigint) AS settled
      FROM events WHERE id > ${afterId}`.execute(store.read)
  expect(rows).toEqual([{ settled: 0 }])
})

test('a write waits for another one that has the same rows, and for no other', async () => {
  const address = newAddress(cluster)
  const gate = gateOn(serverAt(address))
  const [one, other] = [await openAt(address, { server: gate.server }), await openAt(address)]
  const session = await other.server.connect()
  onTestFinished(() => session.release())
  gate.hold('COMMIT')
  const held = one.write((db) => db.selectFrom('agents').select('id').execute(), { scope: { agentId: 'human' } })
  await gate.reached()
  const beside = other.write((db) => db.selectFrom('agents').select('id').execute(), { scope: { agentId: 'aiswarm' } })
  expect(await endsOrWaits(beside, session)).toBe(true)
  const same = other.write((db) => db.selectFrom('agents').select('id').execute(), { scope: { agentId: 'human' } })
  expect(await endsOrWaits(same, session)).toBe(false)
  gate.letGo()
  await Promise.all([held, same])
})

test('the server seals events as the program does, whatever their texts', async () => {
  const store = await openAt(newAddress(cluster))
  const texts = fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replaceAll('\0', '').toWellFormed())
  const columns = fc.record({
    actor: texts,
    operation: texts,
    agent_id: fc.option(texts),
    worktree: fc.option(texts),
    details: fc.option(texts),
  })
  await store.write(async (db) => {
    for (const drawn of fc.sample(columns, 300)) await insertEvent(db, { ...event(''), ...drawn })
    await insertEvent(db, event('"\\/\b\f\n\r\t\u001f\u007f\u0080\u2028\ud83d\ude00'))
  })
  expect(await store.maintenance.check()).toEqual({ damaged: false, findings: [] })
})

test('a write decides over what others have committed, whatever isolation the database has by default', async () => {
  await runSql(cluster, "ALTER DATABASE postgres SET default_transaction_isolation = 'repeatable read'")
  onTestFinished(() => void runSql(cluster, 'ALTER DATABASE postgres RESET default_transaction_isolation'))
  const address = newAddress(cluster)
  const stores = [await openAt(address), await openAt(address), await openAt(address)]
  const add = (at: number) =>
    stores[at % 3]!.write(async (db) => {
      const known = await db.selectFrom('sessions').select('id').execute()
      await db
        .insertInto('sessions')
        .values({ id: `s${known.length}`, status: 'completed', started_at: 'x', ended_at: 'x' })
        .execute()
    })
  await Promise.all(Array.from({ length: 30 }, (_, at) => add(at)))
  expect(await sessionsIn(stores[0]!)).toHaveLength(30)
})

test('a statement that stays prepared is prepared again after a migration', async () => {
  const address = newAddress(cluster)
  const store = await openAt(address)
  await eventually(() => expect(store.hears()).toBe(true))
  const all = () => store.write((db) => db.selectFrom('sessions').selectAll().execute())
  await addSession(store, 's')
  expect(await all()).toHaveLength(1)
  const prepared = await store.write((db) => sql`SELECT FROM pg_prepared_statements WHERE NOT from_sql`.execute(db))
  expect(prepared.rows.length).toBeGreaterThan(0)
  await runSql(cluster, `ALTER TABLE ${address.schema}.sessions ADD COLUMN later text`)
  expect(await all()).toEqual([expect.objectContaining({ id: 's', later: null })])
})

test('a write adds up the changes of sums that have gathered', async () => {
  const address = newAddress(cluster)
  const store = await openAt(address)
  await runSql(cluster, `INSERT INTO ${address.schema}.task_count_changes VALUES ('pending', 1), ('pending', -1)`)
  await addSession(store, 's')
  expect(await runSql(cluster, `SELECT * FROM ${address.schema}.task_count_changes`)).toEqual([])
})

test('the statements of a read operation see the same state of the board', async () => {
  const address = newAddress(cluster)
  const [one, other] = [await openAt(address), await openAt(address)]
  await addSession(one, 'before')
  const found = await one.reading!(async (db) => {
    const first = await db.selectFrom('sessions').select('id').execute()
    await addSession(other, 'meanwhile')
    return [first, await db.selectFrom('sessions').select('id').execute()]
  })
  expect(found).toEqual([[{ id: 'before' }], [{ id: 'before' }]])
  expect(await sessionsIn(one)).toEqual(['before', 'meanwhile'])
})

test('a part of an operation that is late is neither written nor left open when another part has failed', async () => {
  const store = await openAt(newAddress(cluster))
  let late: Promise<unknown> = Promise.resolve()
  const work = (db: Db): Promise<unknown> => {
    late = new Promise((resolve) => setImmediate(resolve)).then(() =>
      db.insertInto('sessions').values({ id: 'late', status: 'completed', started_at: 'x', ended_at: 'x' }).execute(),
    )
    late.catch(() => {})
    return Promise.reject(new Error('no'))
  }
  await expect(store.write(work)).rejects.toThrow('no')
  await expect(late).rejects.toThrow('has ended')
  await expect(store.reading!(work)).rejects.toThrow('no')
  await expect(late).rejects.toThrow('has ended')
  expect(await sessionsIn(store)).toEqual([])
  await addSession(store, 'then')
})
