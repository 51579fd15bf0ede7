import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import type { Connection } from '../../src/db/engine/sqlite.ts'
import type { Store } from '../../src/db/engine/store.ts'
import type { SqliteStore } from '../../src/db/open/open.ts'
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

/** Skips the test that runs, by its name, if it runs on another engine: it looks into the database file itself. */
export const onlyOnSqlite = (): void => {
  if (testedStore !== 'sqlite') TestRunner.getCurrentTest()?.context.skip('it looks into the file of SQLite')
}
