import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { StoreCheck, StoreStatus } from '../../db/engine/store.ts'
import { selectFleet, selectHosts } from '../../db/hosts.ts'
import { type LandedMerge, selectLandedMerges } from '../../db/integrations.ts'
import { KEPT, restoreFrom } from '../../db/sqlite/backup.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { Core } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'

// Maintenance of the database file as a whole writes no rows, so it does not go through `perform`.

export const databaseStatus = async ({ store }: Pick<Core, 'store'>): Promise<{ path: string } & StoreStatus> => ({
  path: store.path,
  ...(await store.maintenance.status()),
})

/** The findings of the engine, otherwise those about rows that were changed; empty if the board is sound. */
export const checkDatabase = async ({ store }: Pick<Core, 'store'>): Promise<DatabaseCheck> => {
  const { damaged, findings } = await store.maintenance.check()
  return { ok: findings.length === 0, damaged, findings }
}

export interface DatabaseCheck extends StoreCheck {
  readonly ok: boolean
}

/** The merges that their targets should contain, and the git remote where the targets are, if several hosts share it. */
export interface LandedMerges {
  readonly remote: string | null
  readonly merges: readonly LandedMerge[]
}

export const landedMerges = async ({ store: { read } }: Pick<Core, 'store'>): Promise<LandedMerges> => ({
  remote: (await selectHosts(read)).length > 1 ? (await selectFleet(read)).remote : null,
  merges: await selectLandedMerges(read),
})

/** Writes a copy of the live board to a new file. */
export const backupDatabase = async ({ store }: Pick<Core, 'store'>, file: string): Promise<{ path: string }> => {
  const path = resolve(file)
  if (existsSync(path)) throw new Refusal('path_exists', `${path} already exists. Name a new file.`)
  await store.maintenance.backup(path)
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

export const recordDatabaseRestore = operation({
  name: 'record_database_restore',
  summary: 'Record in the restored database that it was restored, and where the replaced one is',
  access: 'write',
  authority: 'person',
  input: () => z.strictObject({ from: z.string(), kept: z.string().nullable() }),
  output: () => z.object({}),
  run: async () => ({}),
  subject: (_, { from, kept }) => ({ details: { from, kept } }),
})
