import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { refusal, temporaryFolder } from '../support/core.ts'
import {
  addSession,
  newAddress,
  openAt,
  ownCluster,
  runSql,
  sessionsIn,
  withPassword,
} from '../support/board-on-server.ts'
import { storeAddress } from '../../src/effects/starting/store-address.ts'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { postgresScripts } from '../support/postgres.ts'
import type { StoreAddress } from '../../src/contracts/board-store.ts'

// Each mistake in an address or in the rights of a user ends in one sentence that says what to do.

const cluster = ownCluster()

const refusedAt = async (address: StoreAddress): Promise<{ code: string; message: string }> => {
  const { code, message } = await refusal(openPostgres(address, { migrations: postgresScripts }))
  expect(message).not.toContain('\n')
  return { code, message }
}

test('a wrong password and a missing one say where a password is looked for', async () => {
  await withPassword(cluster, 'ada', 'right')
  const address = newAddress(cluster, { user: 'ada' })
  const wrong = await refusedAt({ ...address, password: () => Promise.resolve('wrong') })
  expect(wrong.code).toBe('not_allowed')
  expect(wrong.message).toMatch(/password authentication failed.*Check the user, and the password in ~\/\.pgpass/)
  expect(wrong.message).not.toContain('wrong')
  expect((await refusedAt(address)).code).toBe('not_allowed')
  const store = await openAt({ ...address, password: () => Promise.resolve('right') })
  await addSession(store, 'one')
  expect(await sessionsIn(store)).toEqual(['one'])
})

test('a password file that others can read is named, and nothing is printed', async () => {
  await withPassword(cluster, 'eve', 'right')
  const file = join(temporaryFolder(), 'pgpass')
  writeFileSync(file, '*:*:*:eve:right\n', { mode: 0o644 })
  vi.stubEnv('PGPASSFILE', file)
  const printed = vi.spyOn(process.stderr, 'write')
  onTestFinished(() => void (vi.unstubAllEnvs(), printed.mockRestore()))
  const address = newAddress(cluster, { user: 'eve' })
  const { code, message } = await refusedAt(address)
  expect(code).toBe('not_allowed')
  expect(message).toMatch(
    /^The password is not used: password file ".*pgpass" has group or world access.* Run 'chmod 600' on it/,
  )
  chmodSync(file, 0o600)
  await addSession(await openAt(address), 'one')
  expect(printed).not.toHaveBeenCalled()
})

test('an unknown user and an unknown database are named', async () => {
  const stranger = await refusedAt(newAddress(cluster, { user: 'stranger' }))
  expect(stranger.code).toBe('not_allowed')
  expect(stranger.message).toContain('role "stranger" does not exist')
  const missing = await refusedAt(newAddress(cluster, { database: 'missing' }))
  expect(missing.code).toBe('not_found')
  expect(missing.message).toMatch(/database "missing" does not exist.*'createdb'/)
})

test('a user who may not create a schema is sent to the owner of the database', async () => {
  await runSql(cluster, 'CREATE ROLE guest LOGIN')
  const { code, message } = await refusedAt(newAddress(cluster, { user: 'guest' }))
  expect(code).toBe('not_allowed')
  expect(message).toMatch(
    /there is no schema board_\d+, and guest may not create one\. Ask the owner of the database for the right: GRANT CREATE ON DATABASE "postgres" TO "guest"$/,
  )
})

test('a user without rights to the board of another is sent to the owner, and makes no board over it', async () => {
  await runSql(cluster, 'CREATE ROLE visitor LOGIN; GRANT CREATE ON DATABASE postgres TO visitor')
  const address = newAddress(cluster)
  await addSession(await openAt(address), 'one')
  let granted = ''
  for (const right of ['', `GRANT ALL ON SCHEMA ${address.schema} TO visitor`]) {
    await runSql(cluster, right)
    const { code, message } = await refusedAt({ ...address, url: cluster.url('postgres', 'visitor') })
    expect(code).toBe('not_allowed')
    expect(message).toMatch(
      /permission denied for (schema|table).*Ask its owner, owner, for the rights: GRANT USAGE ON/,
    )
    granted = message.split('for the rights: ')[1]!
  }
  await runSql(cluster, granted)
  await addSession(await openAt({ ...address, url: cluster.url('postgres', 'visitor') }), 'two')
})

test('a user without a right to an empty schema gets the statement that grants it', async () => {
  await runSql(cluster, 'CREATE ROLE lodger LOGIN')
  const address = newAddress(cluster, { user: 'lodger' })
  const { schema } = address
  let granted = `CREATE SCHEMA ${schema}`
  for (const right of [granted, `GRANT USAGE ON SCHEMA ${schema} TO lodger`]) {
    await runSql(cluster, right)
    const { code, message } = await refusedAt(address)
    expect(code).toBe('not_allowed')
    expect(message).toMatch(
      /\): the schema board_\d+ is empty, and lodger may not create a board in it\. Ask its owner, owner, for the right: /,
    )
    granted = message.split('for the right: ')[1]!
  }
  await runSql(cluster, granted)
  await addSession(await openAt(address), 'one')
})

test('a user who may not create a schema has a board in one that the owner made', async () => {
  await runSql(cluster, 'CREATE ROLE tenant LOGIN')
  const address = newAddress(cluster, { user: 'tenant' })
  await runSql(cluster, `CREATE SCHEMA ${address.schema} AUTHORIZATION tenant`)
  const store = await openAt(address)
  await addSession(store, 'one')
  expect(await sessionsIn(store)).toEqual(['one'])
})

test('a server that is down and one without a free connection are refused with different sentences', async () => {
  const nowhere = await refusedAt({
    url: `postgresql://owner@localhost/postgres?host=${cluster.folder}/none`,
    schema: 'x',
  })
  expect(nowhere.code).toBe('store_unreachable')
  expect(nowhere.message).toMatch(/does not answer .*Nothing was written; check the server/)

  await runSql(cluster, 'CREATE ROLE crowded LOGIN CONNECTION LIMIT 1; GRANT CREATE ON DATABASE postgres TO crowded')
  const address = newAddress(cluster, { user: 'crowded' })
  const client = new pg.Client({ host: cluster.folder, user: 'crowded', database: 'postgres' })
  await client.connect()
  const full = await refusedAt(address)
  expect(full.code).toBe('store_unreachable')
  expect(full.message).toMatch(
    /has no free connection \(.*\)\. End other programs, or raise the limit: max_connections/,
  )
  await client.end()
  await openAt(address)
})

test('a board is opened with the password of the command that the store file names, and a late command is refused', async () => {
  await withPassword(cluster, 'iris', 'right')
  const root = temporaryFolder()
  execFileSync('git', ['init', '--quiet'], { cwd: root })
  mkdirSync(join(root, '.aiswarm'))
  const named = async (command: string): Promise<StoreAddress> => {
    const text = `store: ${cluster.url('postgres', 'iris')}\nschema: ${newAddress(cluster).schema}\npasswordCommand: ${command}\n`
    writeFileSync(join(root, '.aiswarm/store.yaml'), text, { mode: 0o600 })
    return (await storeAddress(root, {}))!
  }
  // Longer than a connection may take.
  await addSession(await openAt(await named('sleep 12; echo right')), 'one')
  expect((await refusedAt(await named('echo wrong'))).message).toContain('password authentication failed')
  expect((await refusedAt(await named('exec sleep 300'))).message).toMatch(
    /The passwordCommand of .* did not end within 30 s/,
  )
})
