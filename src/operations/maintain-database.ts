import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { migrationStatus } from '../db/migrate.ts'
import { backupTo } from '../db/backup.ts'
import { checkDamage } from '../db/damage.ts'
import { journalMode, tableNames } from '../db/sqlite.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Core } from './kernel/core.ts'

// Care of the database file as a whole: no rows are written, so these do not go through `perform`.

export const databaseStatus = ({ store }: Core) => ({
  path: store.path,
  journalMode: journalMode(store.connection),
  tables: tableNames(store.connection).length,
  migrations: migrationStatus(store.connection, store.migrations),
})

/** SQLite's own findings, none when the database is sound. */
export const checkDatabase = ({ store }: Core): { ok: boolean; findings: readonly string[] } => {
  const findings = checkDamage(store.path, store.connection)
  return { ok: findings.length === 0, findings }
}

/** A compact copy of the live database in a new file. */
export const backupDatabase = ({ store }: Core, file: string): { path: string } => {
  const path = resolve(file)
  if (existsSync(path)) throw new Refusal('path_exists', `${path} already exists; name a new file.`)
  backupTo(store.connection, path)
  return { path }
}
