import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from '../engine/sqlite.ts'

export interface Script {
  readonly name: string
  readonly sql: string
  readonly hash: string
}

export const readScripts = (folder: string): readonly Script[] =>
  readdirSync(folder)
    .filter((file) => /^\d{3}_\w+\.sql$/.test(file))
    .sort()
    .map((name) => {
      const bytes = readFileSync(join(folder, name))
      return { name, sql: bytes.toString('utf8'), hash: createHash('sha256').update(bytes).digest('hex') }
    })

/** `ALTER TABLE t ADD COLUMN IF NOT EXISTS c …;` on a separate line: PostgreSQL's form, which SQLite lacks. */
const columnLine = /^ALTER TABLE (\w+) ADD COLUMN IF NOT EXISTS (\w+) ([^;\n]+);$/gm

/** Runs a script and skips columns that already exist. */
export const execute = (connection: Connection, sql: string): void => {
  let done = 0
  for (const { 0: line, 1: table, 2: column, 3: type, index } of sql.matchAll(columnLine)) {
    connection.exec(sql.slice(done, index))
    const present =
      connection.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined
    if (!present) connection.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type};`)
    done = index + line.length
  }
  connection.exec(sql.slice(done))
}
