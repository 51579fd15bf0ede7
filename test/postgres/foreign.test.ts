import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migratePostgres, type PostgresStore } from '../../src/db/postgres/open.ts'
import { addSession, newAddress, openAt, ownCluster, runSql, sessionsIn } from '../support/board-on-server.ts'
import { refusal, temporaryFolder } from '../support/core.ts'
import { postgresScripts } from '../support/postgres.ts'
import { initialised } from '../support/template.ts'
import { aiswarm, answer } from '../stories/program.ts'

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

/** Gives a board what a newer program leaves. */
const byNewer = (schema: string, also = ''): Promise<unknown> =>
  runSql(
    cluster,
    `SET search_path TO ${schema};
     INSERT INTO migration_history (migration_name, script_hash, execution_time_ms, success) VALUES ('099_Later.sql', 'x', 1, 1);
     UPDATE board SET min_program = '0.3.0'; ${also}`,
  )

test('a board of a newer program is read and not written, also by a program that has it open', async () => {
  const address = newAddress(cluster)
  const open = await openAt(address, { version: '0.1.0' })
  await addSession(open, 'one')
  await byNewer(address.schema)
  for (const store of [open, await openAt(address, { version: '0.1.0' })]) {
    const { code, message } = await refusal(addSession(store, 'two'))
    expect(code).toBe('database_newer')
    expect(message).toMatch(
      /099_Later\.sql\)\. aiswarm 0\.1\.0 only reads it; update it on this machine to 0\.3\.0 or newer/,
    )
    expect(await sessionsIn(store)).toEqual(['one'])
  }
})

test('a newer program may have changed the function that opens a write', async () => {
  const address = newAddress(cluster)
  const store = await openAt(address)
  await byNewer(address.schema, 'DROP FUNCTION open_write(text, bigint, text, text, text, bigint, boolean)')
  expect((await refusal(addSession(store, 'two'))).code).toBe('database_newer')
})

test('a newer program may forbid older ones to read a board', async () => {
  const address = newAddress(cluster)
  await openAt(address)
  await byNewer(address.schema, "UPDATE board SET min_reader = '0.4.0'")
  const { code, message } = await refusal(openAt(address))
  expect(code).toBe('database_newer')
  expect(message).toMatch(/cannot read it; update it on this machine to 0\.4\.0 or newer/)
})

test('a program on a board of a newer one lists its tasks, and refuses to add one', async () => {
  const root = join(temporaryFolder(), 'shop')
  mkdirSync(root)
  initialised(root)
  execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message', 'Begin'], { cwd: root })
  const url = `${cluster.url()}&schema=of_newer`
  expect(await aiswarm(root, 'init', '--yes', '--store', url)).toMatchObject({ code: 0 })
  await answer(root, 'task', 'add', 'Bake', '--persona', 'implementer')
  await byNewer('of_newer')
  // Opening wants to record a changed persona, which it leaves.
  writeFileSync(join(root, '.aiswarm/personas/implementer.md'), '---\nname: Changed\n---\nBake.\n')
  expect(await answer(root, 'task', 'list')).toMatchObject([{ title: 'Bake' }])
  expect(await aiswarm(root, 'status')).toMatchObject({ code: 0 })
  const { code, err } = await aiswarm(root, 'task', 'add', 'Brew', '--persona', 'implementer')
  expect(code).not.toBe(0)
  expect(err).toMatch(/099_Later\.sql.*only reads it/)
  expect(err).not.toMatch(/bug/i)
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
  await migratePostgres(address, { migrations: postgresScripts, version: '0.2.0' })
  expect(await runSql(cluster, `SELECT min_program FROM ${address.schema}.board`)).toEqual([{ min_program: '0.2.0' }])
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

test('a board that has moved is not opened, and no longer read by a program that only watches', async () => {
  const address = newAddress(cluster)
  const [one, watching] = [await openAt(address), await openAt(address)]
  await addSession(one, 'one')
  watching.version()
  expect(await sessionsIn(watching)).toEqual(['one'])
  await one.write((db) => one.maintenance.leave('/elsewhere/coordination.db', db))
  expect((await refusal(openAt(address))).code).toBe('database_moved')
  const reads = async (): Promise<string> => {
    watching.version()
    return watching.reading!((db) => db.selectFrom('sessions').select('id').execute()).then(
      () => 'read',
      ({ code }: { code: string }) => code,
    )
  }
  await expect.poll(reads).toBe('database_moved')
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

test('a script that has changed is reported, and run again by its name only', async () => {
  const folder = join(temporaryFolder(), 'scripts')
  cpSync(postgresScripts, folder, { recursive: true })
  const path = join(folder, '099_Later.sql')
  writeFileSync(path, 'CREATE TABLE later (n bigint);')
  const address = newAddress(cluster)
  const store = await openAt(address, { migrations: folder })
  const state = async (of: PostgresStore): Promise<unknown> =>
    (await of.maintenance.status()).migrations.find(({ name }) => name === '099_Later.sql')?.state
  expect(await state(store)).toBe('applied')
  writeFileSync(path, 'CREATE TABLE IF NOT EXISTS later (n bigint); INSERT INTO later VALUES (1);')
  const rows = (): Promise<readonly unknown[]> => runSql(cluster, `SELECT n FROM ${address.schema}.later`)
  const changed = await openAt(address, { migrations: folder })
  expect(await state(changed)).toBe('changed')
  await migratePostgres(address, { migrations: folder })
  expect(await state(changed)).toBe('changed')
  expect(await rows()).toEqual([])
  const unknown = await refusal(migratePostgres(address, { migrations: folder, again: ['100_Never.sql'] }))
  expect(unknown.code).toBe('not_found')
  expect(unknown.message).toMatch(
    /There is no script 100_Never\.sql\. The scripts are 001_InitialSchema\.sql, .*099_Later/,
  )
  await migratePostgres(address, { migrations: folder, again: ['099_Later.sql'] })
  expect(await state(changed)).toBe('applied')
  expect(await rows()).toEqual([{ n: '1' }])
  expect(await runSql(cluster, `SELECT reason FROM ${address.schema}.migration_audit`)).toEqual([
    { reason: 'New migration' },
  ])
  await addSession(changed, 'one')
})

test('doctor names a script that has changed', async () => {
  const root = join(temporaryFolder(), 'shop')
  mkdirSync(root)
  initialised(root)
  execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message', 'Begin'], { cwd: root })
  const url = `${cluster.url()}&schema=of_changed`
  expect(await aiswarm(root, 'init', '--yes', '--store', url)).toMatchObject({ code: 0 })
  expect((await aiswarm(root, 'doctor')).out).not.toContain('has changed')
  await runSql(
    cluster,
    "UPDATE of_changed.migration_history SET script_hash = 'x' WHERE migration_name = '042_Mail.sql'",
  )
  expect((await aiswarm(root, 'doctor')).out).toContain(
    "042_Mail.sql has changed since it was applied ('aiswarm db migrate --rerun 042_Mail.sql' runs it again)",
  )
})
