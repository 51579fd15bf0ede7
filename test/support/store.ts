import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { onTestFinished } from 'vitest'

const fixtures = resolve(import.meta.dirname, '../fixtures')

/** A raw look at a database file, beside whatever has it open. */
export const look = <Row>(path: string, sql: string): Row[] => {
  const connection = new SqliteDatabase(path, { readonly: true })
  try {
    return connection.prepare<[], Row>(sql).all()
  } finally {
    connection.close()
  }
}

/** A raw change of a database file, as something else than aiswarm would make it. */
export const tamper = (path: string, sql: string): void => {
  const connection = new SqliteDatabase(path)
  try {
    connection.exec(sql)
  } finally {
    connection.close()
  }
}

/** Starts `test/fixtures/<name>.ts` on this node; it is ended with the test. */
export const startFixture = (name: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess => {
  const child = spawn(process.execPath, [resolve(fixtures, `${name}.ts`), ...args], { stdio: ['pipe', 'pipe', 'inherit'], ...options })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Everything a child wrote by the time it ended, and how it ended. */
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
