import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStore, type SqliteStore } from '../../../src/db/sqlite/open.ts'
import { isRefusal } from '../../../src/domain/rules/refusal.ts'
import { checkDatabase } from '../../../src/operations/database/maintenance.ts'
import { migrations, refusal, refused, temporaryFolder } from '../../support/core.ts'
import { tamper } from '../../support/store.ts'

const newPath = (): string => join(temporaryFolder(), 'coordination.db')

const open = async (path: string): Promise<SqliteStore> => {
  const store = await openStore(path, { migrations })
  onTestFinished(() => store.close())
  return store
}

const addSession = (store: SqliteStore, id: string): Promise<unknown> =>
  store.write((db) =>
    db.insertInto('sessions').values({ id, status: 'completed', started_at: 'x', ended_at: 'x' }).execute(),
  )

const readSessions = (store: SqliteStore) => store.read.selectFrom('sessions').selectAll().execute()

/** A closed database whose table `sessions` has lost a page in its middle. */
const damagedDatabase = async (): Promise<string> => {
  const path = newPath()
  ;(await openStore(path, { migrations })).close()
  tamper(
    path,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
     INSERT INTO sessions (id, goal, status, started_at, ended_at) SELECT 's' || i, hex(zeroblob(200)), 'completed', 'x', 'x' FROM n`,
  )
  zeroPageOf(path, 'sessions')
  return path
}

let repairPage = (): void => {}

const zeroPageOf = (path: string, table: string): void => {
  const connection = new SqliteDatabase(path, { readonly: true })
  const size = connection.pragma('page_size', { simple: true }) as number
  const leaves = connection
    .prepare<[string], number>("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno")
    .pluck()
    .all(table)
  connection.close()
  const at = (leaves[leaves.length >> 1]! - 1) * size
  const bytes = readFileSync(path).subarray(at, at + size)
  const write = (page: Buffer): void => {
    const file = openSync(path, 'r+')
    writeSync(file, page, 0, size, at)
    closeSync(file)
  }
  write(Buffer.alloc(size))
  repairPage = () => write(bytes)
}

describe('damage to the database', () => {
  it('is reported by a read that meets it, and then refuses the writes of every process', async () => {
    const path = await damagedDatabase()
    const store = await open(path)
    const { code, message } = await refusal(readSessions(store))
    expect(code).toBe('database_corrupt')
    expect(message).toContain("'aiswarm db check' shows the damage; 'aiswarm db restore FILE' restores a copy")
    expect(await refused(addSession(store, 'late'))).toBe('database_corrupt')
    expect(await refused(addSession(await open(path), 'late'))).toBe('database_corrupt')
  })

  it('is found by the check, which survives it and then refuses writes', async () => {
    const store = await open(await damagedDatabase())
    const { ok, findings } = await checkDatabase({ store })
    expect(ok).toBe(false)
    expect(findings[0]).toMatch(/SQLITE_CORRUPT|Tree \d+ page/)
    expect(await refused(addSession(store, 'late'))).toBe('database_corrupt')
  })

  it('is cleared by the next check after the repair, not before', async () => {
    const path = await damagedDatabase()
    const damaged = await openStore(path, { migrations })
    await refusal(readSessions(damaged))
    damaged.close()
    repairPage()
    const store = await open(path)
    expect(await refused(addSession(store, 'early'))).toBe('database_corrupt')
    expect(await checkDatabase({ store })).toEqual({ ok: true, damaged: false, findings: [] })
    expect(existsSync(`${path}.damaged`)).toBe(false)
    await addSession(store, 'then')
  })

  it('is checked for if the last process did not close the database', async () => {
    const path = await damagedDatabase()
    const dying = `const c = new (require('better-sqlite3'))(process.argv[1]); c.exec("UPDATE personas SET name = name; CREATE TABLE more (x)"); process.kill(process.pid, 'SIGKILL')`
    spawnSync(process.execPath, ['-e', dying, path], { cwd: resolve(import.meta.dirname, '../../..') })
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
    expect(await refused(addSession(await open(path), 'late'))).toBe('database_corrupt')
  })
})

describe('after a commit that the disk failed', () => {
  /** SQLite ends a commit like this when its fsync failed. */
  const failNextCommit = (store: SqliteStore): void => {
    const { connection } = store
    const exec = connection.exec.bind(connection)
    connection.exec = (sql) => {
      if (sql !== 'COMMIT') return exec(sql)
      connection.exec = exec
      throw new SqliteDatabase.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC')
    }
  }

  it('the refusal says so, and the next write uses a new connection', async () => {
    const store = await open(newPath())
    const { connection } = store
    failNextCommit(store)
    const error: unknown = await addSession(store, 'lost').catch((caught: unknown) => caught)
    expect(isRefusal(error) && `${error.code} ${error.message}`).toBe(
      'disk_failed The disk failed to read or write coordination.db (SQLITE_IOERR_FSYNC: disk I/O error). Nothing was acknowledged. Check the disk, then try again.',
    )
    await addSession(store, 'then')
    expect(store.connection).not.toBe(connection)
    expect((await readSessions(store)).map(({ id }) => id)).toEqual(['then'])
  })
})

it('a process of an older version refuses writes once a newer one has migrated', async () => {
  const path = newPath()
  const store = await open(path)
  await addSession(store, 'before')
  tamper(
    path,
    "INSERT INTO migration_history (migration_name, script_hash, execution_time_ms) VALUES ('999_Future.sql', 'x', 1)",
  )
  const { code, message } = await refusal(addSession(store, 'after'))
  expect(code).toBe('database_newer')
  expect(message).toContain('999_Future.sql')
  expect((await readSessions(store)).map(({ id }) => id)).toEqual(['before'])
})
