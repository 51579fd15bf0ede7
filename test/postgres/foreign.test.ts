import { expect, test } from 'vitest'
import { migratePostgres } from '../../src/db/postgres/open.ts'
import { addSession, newAddress, openAt, ownCluster, runSql, sessionsIn } from '../support/board-on-server.ts'
import { refusal } from '../support/core.ts'
import { postgresScripts } from '../support/postgres.ts'

// Schemas that this program must not write.

const cluster = ownCluster()

test('a schema with tables of another program is left as it is', async () => {
  const address = newAddress(cluster)
  await runSql(cluster, `CREATE SCHEMA ${address.schema}; CREATE TABLE ${address.schema}.invoices (id int)`)
  const { code, message } = await refusal(openAt(address))
  expect(code).toBe('database_foreign')
  expect(message).toMatch(/holds tables, but no board of aiswarm\. Name another schema/)
  expect(
    await runSql(cluster, `SELECT table_name FROM information_schema.tables WHERE table_schema = '${address.schema}'`),
  ).toEqual([{ table_name: 'invoices' }])
})

test('a board of a newer program is not opened', async () => {
  const address = newAddress(cluster)
  await openAt(address)
  await runSql(
    cluster,
    `INSERT INTO ${address.schema}.migration_history (migration_name, script_hash, execution_time_ms, success) VALUES ('099_Later.sql', 'x', 1, 1)`,
  )
  const { code, message } = await refusal(openAt(address))
  expect(code).toBe('database_newer')
  expect(message).toMatch(/099_Later\.sql.*Update aiswarm on this machine\./)
})

test('a board of an older program is not changed by opening it, but by its owner', async () => {
  const address = newAddress(cluster)
  const store = await openAt(address)
  await addSession(store, 'one')
  await runSql(
    cluster,
    `SET search_path TO ${address.schema}; DELETE FROM migration_history WHERE migration_name LIKE '032%'`,
  )
  const before = await columnsOf(address.schema)
  const { code, message } = await refusal(openAt(address))
  expect(code).toBe('database_older')
  expect(message).toMatch(/032.*Its owner runs 'aiswarm db migrate'\./)
  expect(await columnsOf(address.schema)).toEqual(before)
  await migratePostgres(address, postgresScripts, [])
  expect(await sessionsIn(await openAt(address))).toEqual(['one'])
})

const columnsOf = (schema: string): Promise<readonly unknown[]> =>
  runSql(
    cluster,
    `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = '${schema}' ORDER BY 1, 2`,
  )

test('a board that moves while it is open refuses every write from then on', async () => {
  const address = newAddress(cluster)
  const [one, other] = [await openAt(address), await openAt(address)]
  await addSession(one, 'one')
  await one.write((db) => one.maintenance.leave('/elsewhere/coordination.db', db))
  for (const store of [one, other]) {
    const { code, message } = await refusal(addSession(store, 'two'))
    expect(code).toBe('database_moved')
    expect(message).toMatch(/is at \/elsewhere\/coordination\.db now\. Start aiswarm again/)
  }
  expect(await sessionsIn(other)).toEqual(['one'])
})

test('a text with a NUL character is refused in one sentence, and nothing of its write remains', async () => {
  const store = await openAt(newAddress(cluster))
  const { code, message } = await refusal(
    store.write(async (db) => {
      await db
        .insertInto('sessions')
        .values({ id: 'one', status: 'completed', started_at: 'x', ended_at: 'x' })
        .execute()
      await db
        .insertInto('sessions')
        .values({ id: 'a\0b', status: 'completed', started_at: 'x', ended_at: 'x' })
        .execute()
    }),
  )
  expect(code).toBe('invalid_input')
  expect(message).toContain('NUL')
  expect(await sessionsIn(store)).toEqual([])
  await addSession(store, 'two')
})
