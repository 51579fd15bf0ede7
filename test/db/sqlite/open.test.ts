import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { journalMode } from '../../../src/db/sqlite/database.ts'
import { type OpenOptions, openStore, type SqliteStore } from '../../../src/db/sqlite/open.ts'
import { migrations, refusal, refused, temporaryFolder } from '../../support/core.ts'
import { firstLine, look, outcome, startFixture, tamper } from '../../support/store.ts'

const newPath = (): string => join(temporaryFolder(), 'coordination.db')

const open = async (path: string, options: Partial<OpenOptions> = {}): Promise<SqliteStore> => {
  const store = await openStore(path, { migrations, ...options })
  onTestFinished(() => store.close())
  return store
}

const addSession = (store: SqliteStore, id: string): Promise<unknown> =>
  store.write((db) =>
    db.insertInto('sessions').values({ id, status: 'completed', started_at: 'x', ended_at: 'x' }).execute(),
  )

const sessions = 'SELECT id FROM sessions ORDER BY id'

test('a new database is in WAL mode, syncs fully and enforces foreign keys', async () => {
  const { connection } = await open(newPath())
  expect(journalMode(connection)).toBe('wal')
  expect(connection.pragma('synchronous', { simple: true })).toBe(2)
  expect(connection.pragma('foreign_keys', { simple: true })).toBe(1)
  expect(connection.pragma('trusted_schema', { simple: true })).toBe(0)
})

test('the reading connection cannot write', async () => {
  const store = await open(newPath())
  await expect(store.read.deleteFrom('personas').execute()).rejects.toThrow('readonly')
})

test('a board that is left for another store is read no more by those who have it open, until it is back', async () => {
  const path = newPath()
  const [one, two] = [await open(path), await open(path)]
  await addSession(one, 's')
  const before = two.version()
  await one.write((db) => one.maintenance.leave('elsewhere', db))
  expect(two.version()).toBeGreaterThan(before)
  const read = () => two.read.selectFrom('sessions').select('id').execute()
  expect(await refusal(read())).toMatchObject({
    code: 'database_moved',
    message: expect.stringContaining('is at elsewhere now') as string,
  })
  expect((await refusal(addSession(two, 'late'))).code).toBe('database_moved')
  const left = two.version()
  rmSync(`${path}.moved`)
  expect(two.version()).toBeGreaterThan(left)
  expect(await read()).toEqual([{ id: 's' }])
})

test('a write in one store is visible in another, and changes its version', async () => {
  const path = newPath()
  const [one, two] = [await open(path), await open(path)]
  const before = two.version()
  expect(two.version()).toBe(before)
  await addSession(one, 's')
  expect(two.version()).not.toBe(before)
  expect(await two.read.selectFrom('sessions').select('id').execute()).toEqual([{ id: 's' }])
})

test('the version counts every change of its own store except quiet ones, and quiet changes of other stores', async () => {
  const path = newPath()
  const [one, two] = [await open(path), await open(path)]
  const begun = one.version()
  await one.write((db) => db.selectFrom('sessions').selectAll().execute())
  expect(one.version()).toBe(begun)
  await one.write(
    (db) =>
      db
        .insertInto('leases')
        .values({ name: 'role', holder: 'me', holder_pid: 1, term: 1, acquired_at: 'a', expires_at: 'b' } as never)
        .execute(),
    { quiet: true },
  )
  expect(one.version()).toBe(begun)
  await addSession(one, 'session-20260130-142233')
  const added = one.version()
  expect(added).toBeGreaterThan(begun)
  await two.write((db) => db.updateTable('leases').set({ holder: 'you' }).execute(), { quiet: true })
  expect(one.version()).toBeGreaterThan(added)
})

test('a write that throws changes nothing, and the next write works', async () => {
  const path = newPath()
  const store = await open(path)
  const failing = store.write(async (db) => {
    await db.insertInto('sessions').values({ id: 's', status: 'completed', started_at: 'x', ended_at: 'x' }).execute()
    throw new Error('on the way')
  })
  await expect(failing).rejects.toThrow('on the way')
  await addSession(store, 't')
  expect(look(path, sessions)).toEqual([{ id: 't' }])
})

test('one process runs its writes one after another', async () => {
  const path = newPath()
  const store = await open(path)
  await Promise.all(Array.from({ length: 50 }, (_, i) => addSession(store, `s${String(i).padStart(2, '0')}`)))
  expect(look(path, sessions)).toHaveLength(50)
})

test('a foreign database is refused and not changed', async () => {
  const path = newPath()
  tamper(path, 'CREATE TABLE their_own (x)')
  const { code, message } = await refusal(openStore(path, { migrations }))
  expect(code).toBe('database_foreign')
  expect(message).toBe(`${path} is an SQLite database, but not aiswarm's. Move it away and start again.`)
  expect(look(path, 'SELECT name FROM sqlite_schema')).toEqual([{ name: 'their_own' }])
  expect(look(path, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'delete' }])
})

test('a database in another journal mode is refused and not changed', async () => {
  const path = newPath()
  ;(await openStore(path, { migrations })).close()
  tamper(path, 'PRAGMA journal_mode = DELETE')
  const { code, message } = await refusal(openStore(path, { migrations }))
  expect(code).toBe('database_foreign')
  expect(message).toContain("is in journal mode 'delete', not 'wal'")
  expect(look(path, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'delete' }])
})

test('an empty file becomes a new database', async () => {
  const path = newPath()
  writeFileSync(path, '')
  expect(journalMode((await open(path)).connection)).toBe('wal')
})

test('a file that is not a database is refused as damaged', async () => {
  const path = newPath()
  writeFileSync(path, 'this is a text of more than sixteen bytes\n'.repeat(100))
  const { code, message } = await refusal(openStore(path, { migrations }))
  expect(code).toBe('database_corrupt')
  expect(message).toContain('aiswarm db backup')
})

test('a database with a torn page is refused as damaged', async () => {
  const path = newPath()
  ;(await openStore(path, { migrations })).close()
  const size = look<{ n: number }>(
    path,
    'SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size',
  )[0]!.n
  // Everything after the header of the first page is noise.
  writeFileSync(path, Buffer.alloc(size - 100, 0xa5), { flag: 'r+', flush: true })
  expect(await refused(openStore(path, { migrations }))).toBe('database_corrupt')
})

test('a missing folder is named', async () => {
  const path = join(temporaryFolder(), 'missing', 'coordination.db')
  expect((await refusal(openStore(path, { migrations }))).message).toBe(
    `There is no folder ${join(path, '..')} for the database. 'aiswarm init' creates it.`,
  )
})

test('a folder without write permission is refused', async () => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o555)
  const child = startFixture('opener', [join(folder, 'coordination.db'), migrations])
  expect((await outcome(child)).output.trim()).toBe('not_writable')
})

test('a write waits for another process and then succeeds', async () => {
  const path = newPath()
  const store = await open(path)
  const holder = startFixture('lock-holder', [path])
  expect(await firstLine(holder)).toBe('held')
  let tries = 0
  const write = store.write(async (db) => {
    tries += 1
    await db.insertInto('sessions').values({ id: 's', status: 'completed', started_at: 'x', ended_at: 'x' }).execute()
  })
  holder.stdin!.end()
  await write
  expect(tries).toBe(1)
  expect(look(path, sessions)).toEqual([{ id: 's' }])
})

test('a write that times out is refused, and names the process that holds the database', async () => {
  const path = newPath()
  const store = await open(path, { patience: 200 })
  const holder = startFixture('lock-holder', [path])
  expect(await firstLine(holder)).toBe('held')
  const { code, message } = await refusal(addSession(store, 's'))
  expect(code).toBe('database_busy')
  expect(message).toBe(
    `The database has been locked by process ${holder.pid} for more than 0.2 s. End that process or try again.`,
  )
  holder.stdin!.end()
  await outcome(holder)
  await addSession(store, 's')
})

test('a read works while another process holds the database', async () => {
  const path = newPath()
  const store = await open(path)
  await addSession(store, 's')
  const holder = startFixture('lock-holder', [path])
  expect(await firstLine(holder)).toBe('held')
  expect(await store.read.selectFrom('sessions').select('id').execute()).toEqual([{ id: 's' }])
  expect(await (await open(path)).read.selectFrom('sessions').select('id').execute()).toEqual([{ id: 's' }])
})

test('a database in a folder with spaces and quotes can be opened', async () => {
  const folder = join(temporaryFolder(), "it's a 'folder' %20 ?x=1")
  mkdirSync(folder)
  await addSession(await open(join(folder, 'coordination.db')), 's')
})
