import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { backupTo } from '../db/backup.ts'
import { checkDamage, checkSeals } from '../db/damage.ts'
import { migrationStatus } from '../db/migrate.ts'
import { KEPT, restoreFrom } from '../db/restore.ts'
import { journalMode, tableNames } from '../db/sqlite.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import type { Core } from './kernel/core.ts'

// Care of the database file as a whole: no rows are written, so these do not go through `perform`.

export const databaseStatus = ({ store }: Pick<Core, 'store'>) => ({
  path: store.path,
  journalMode: journalMode(store.connection),
  tables: tableNames(store.connection).length,
  migrations: migrationStatus(store.connection, store.migrations),
})

/** SQLite's own findings, else those about the chain of events; none when the database is sound. */
export const checkDatabase = ({ store }: Pick<Core, 'store'>): DatabaseCheck => {
  const damage = checkDamage(store.path, store.connection)
  const findings = damage.length > 0 ? damage : checkSeals(store.connection)
  return { ok: findings.length === 0, damaged: damage.length > 0, findings }
}

export interface DatabaseCheck {
  readonly ok: boolean
  /** Nothing is written any more; else what was found are events that somebody changed by hand. */
  readonly damaged: boolean
  readonly findings: readonly string[]
}

/** A compact copy of the live database in a new file. */
export const backupDatabase = ({ store }: Pick<Core, 'store'>, file: string): { path: string } => {
  const path = resolve(file)
  if (existsSync(path)) throw new Refusal('path_exists', `${path} already exists; name a new file.`)
  backupTo(store.connection, path)
  return { path }
}

/** How long a restore waits for a process that writes (ms). */
const PATIENCE = 10_000

/** Puts a copy in the place of the database at `path`, beside processes that have it open. `kept` is where the replaced one lies now. */
export const restoreDatabase = (path: string, file: string, now: Instant): { path: string; from: string; kept: string | null } => {
  const from = resolve(file)
  const aside = `${path}${KEPT}${now.replace(/[-:.]/g, '')}`
  const { kept } = restoreFrom(path, from, { aside, patience: PATIENCE })
  return { path, from, kept: kept ? aside : null }
}
