import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { backupTo } from '../../db/open/backup.ts'
import { checkDamage, checkSeals } from '../../db/open/damage.ts'
import { migrationStatus } from '../../db/open/migrate.ts'
import { KEPT, restoreFrom } from '../../db/open/restore.ts'
import { journalMode, tableNames } from '../../db/engine/sqlite.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { Core } from '../door/core.ts'

// Maintenance of the database file as a whole writes no rows, so it does not go through `perform`.

export const databaseStatus = ({ store }: Pick<Core, 'store'>) => ({
  path: store.path,
  journalMode: journalMode(store.connection),
  tables: tableNames(store.connection).length,
  migrations: migrationStatus(store.connection, store.migrations),
})

/** SQLite's own findings, otherwise those about the chain of events; empty if the database is sound. */
export const checkDatabase = ({ store }: Pick<Core, 'store'>): DatabaseCheck => {
  const damage = checkDamage(store.path, store.connection)
  const findings = damage.length > 0 ? damage : checkSeals(store.connection)
  return { ok: findings.length === 0, damaged: damage.length > 0, findings }
}

export interface DatabaseCheck {
  readonly ok: boolean
  /** True: nothing is written any more. False: the findings are events that were changed by hand. */
  readonly damaged: boolean
  readonly findings: readonly string[]
}

/** Writes a compact copy of the live database to a new file. */
export const backupDatabase = ({ store }: Pick<Core, 'store'>, file: string): { path: string } => {
  const path = resolve(file)
  if (existsSync(path)) throw new Refusal('path_exists', `${path} already exists. Name a new file.`)
  backupTo(store.connection, path)
  return { path }
}

/** How long a restore waits for a process that writes (ms). */
const PATIENCE = 10_000

/**
 * Replaces the database at `path` by a copy while other processes have it open. `kept` is the new path of the replaced
 * one.
 */
export const restoreDatabase = (
  path: string,
  file: string,
  now: Instant,
): { path: string; from: string; kept: string | null } => {
  const from = resolve(file)
  const aside = `${path}${KEPT}${now.replace(/[-:.]/g, '')}`
  const { kept } = restoreFrom(path, from, { aside, patience: PATIENCE })
  return { path, from, kept: kept ? aside : null }
}
