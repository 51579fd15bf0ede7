import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import type { Connection } from '../../src/db/sqlite/database.ts'
import type { Store } from '../../src/db/engine/store.ts'
import type { PostgresStore } from '../../src/db/postgres/open.ts'
import type { SqliteStore } from '../../src/db/sqlite/open.ts'
import { onTestFinished, TestRunner } from 'vitest'
import { testedStore } from './template.ts'

const fixtures = resolve(import.meta.dirname, '../fixtures')

/** A raw read of a database file, next to any process that has it open. */
export const look = <Row>(path: string, sql: string): Row[] => {
  onlyOnSqlite()
  const connection = new SqliteDatabase(path, { readonly: true })
  try {
    return connection.prepare<[], Row>(sql).all()
  } finally {
    connection.close()
  }
}

/** A raw change of a database file, as another program would make it. */
export const tamper = (path: string, sql: string): void => {
  onlyOnSqlite()
  const connection = new SqliteDatabase(path)
  try {
    connection.exec(sql)
  } finally {
    connection.close()
  }
}

/** Runs SQL that every engine takes, as another program would: the rows of a query, or nothing for statements that write. */
export const byHand = async <Row>(store: Store, sql: string): Promise<readonly Row[]> => {
  if ('server' in store) {
    const session = await (store as PostgresStore).server.connect()
    try {
      return await session.script<Row>(sql)
    } finally {
      session.release()
    }
  }
  const connection = connectionOf(store)
  if (/^\s*SELECT/.test(sql)) return connection.prepare<[], Row>(sql).all()
  connection.exec(sql)
  return []
}

/** Has every update of a table change no row until the test ends, as if another process had changed the row meanwhile. */
export const loseUpdates = async (store: Store, table: string, when = ''): Promise<void> => {
  if (!('server' in store))
    return void (await byHand(
      store,
      `CREATE TRIGGER late BEFORE UPDATE ON ${table} ${when} BEGIN SELECT RAISE(IGNORE); END`,
    ))
  await byHand(
    store,
    `CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER late BEFORE UPDATE ON ${table} FOR EACH ROW ${when} EXECUTE FUNCTION leave()`,
  )
  onTestFinished(async () => void (await byHand(store, 'DROP FUNCTION leave CASCADE')))
}

/** Starts `test/fixtures/<name>.ts` on this Node.js; it ends with the test. */
export const startFixture = (name: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess => {
  const child = spawn(process.execPath, [resolve(fixtures, `${name}.ts`), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...options,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** All output of a child up to its end, and its exit status. */
export const outcome = async (child: ChildProcess): Promise<{ code: number | null; output: string }> => {
  let output = ''
  child.stdout!.setEncoding('utf8').on('data', (piece: string) => (output += piece))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

/** The first line that a child writes. */
export const firstLine = async (child: ChildProcess): Promise<string> => {
  const [line] = (await once(child.stdout!.setEncoding('utf8'), 'data')) as [string]
  return line.trim()
}

/** The connection for writes of a store on SQLite. */
export const connectionOf = (store: Store): Connection => (store as SqliteStore).connection

/** Skips the test that runs, by its name, if it runs on another engine. */
export const onlyOnSqlite = (why = 'it looks into the file of SQLite'): void => {
  if (testedStore !== 'sqlite') TestRunner.getCurrentTest()?.context.skip(why)
}
